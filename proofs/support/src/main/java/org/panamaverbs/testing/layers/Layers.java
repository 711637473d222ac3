package org.panamaverbs.testing.layers;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The packages of a module from the top down, each with its content and the packages that it may use. A layer has the name of its package
 * behind that of the module; the module's own package is {@code ""}.
 */
public final class Layers {
    private final String root;
    private final Map<String, String> neighbours = new LinkedHashMap<>();
    private final Map<String, Layer> layers = new LinkedHashMap<>();
    private final List<List<String>> circles = new ArrayList<>();

    /**
     * A module without layers.
     *
     * @param root the package that has all packages of the module
     */
    public Layers(String root) {
        this.root = root;
    }

    /**
     * Counts the packages of another module, too.
     *
     * @param name  short for its package, in the names of layers
     * @param other the package that has all packages of that module
     * @return this
     */
    public Layers beside(String name, String other) {
        neighbours.put(name, other);
        return this;
    }

    /**
     * Adds a layer below all layers before.
     *
     * @param name    of the package
     * @param content of the package, as Markdown
     * @param below   the packages that it may use
     * @return this
     */
    public Layers layer(String name, String content, String... below) {
        if (layers.put(name, new Layer(content, List.of(below))) != null) {
            throw new IllegalArgumentException(name + " is there twice");
        }
        return this;
    }

    /**
     * Lets some files depend on each other.
     *
     * @param files by their top-level classes without the package of the module ({@code cm.Opening}), all files of one circle, sorted
     * @return this
     */
    public Layers circle(String... files) {
        circles.add(List.of(files));
        return this;
    }

    String root() {
        return root;
    }

    Set<String> names() {
        return Collections.unmodifiableSet(layers.keySet());
    }

    List<List<String>> circles() {
        return Collections.unmodifiableList(circles);
    }

    List<String> below(String layer) {
        return layers.get(layer).below();
    }

    /** The package of a layer of this module or of a neighbour. */
    String packageOf(String layer) {
        if (layer.isEmpty()) {
            return root;
        }
        for (Map.Entry<String, String> neighbour : neighbours.entrySet()) {
            if (isWithin(layer, neighbour.getKey())) {
                return neighbour.getValue() + layer.substring(neighbour.getKey().length());
            }
        }
        return root + "." + layer;
    }

    Set<String> packagesOf(Iterable<String> named) {
        Set<String> packages = new TreeSet<>();
        named.forEach(layer -> packages.add(packageOf(layer)));
        return packages;
    }

    /** Whether a package is one of this module or of a neighbour. */
    boolean has(String name) {
        return isWithin(name, root) || neighbours.values().stream().anyMatch(other -> isWithin(name, other));
    }

    /** The arrows that point up, or to no layer of this module. */
    List<String> wrongArrows() {
        List<String> order = List.copyOf(layers.keySet());
        List<String> wrong = new ArrayList<>();
        layers.forEach((name, layer) -> layer.below().stream().filter(below -> isWithin(packageOf(below), root))
                .filter(below -> order.indexOf(below) <= order.indexOf(name)).forEach(below -> wrong.add(name + " -> " + below)));
        return wrong;
    }

    /** The table, as Markdown. */
    String table() {
        StringBuilder table = new StringBuilder("| package | content | may use |\n|---|---|---|\n");
        layers.forEach((name, layer) -> table.append("| ").append(shown(name)).append(" | ").append(layer.content()).append(" | ")
                .append(layer.below().isEmpty() ? "nothing" : layer.below().stream().map(Layers::shown).collect(Collectors.joining(", ")))
                .append(" |\n"));
        return table.toString();
    }

    private static String shown(String layer) {
        return layer.isEmpty() ? "(root)" : "`" + layer + "`";
    }

    private static boolean isWithin(String name, String outer) {
        return name.equals(outer) || name.startsWith(outer + ".");
    }

    private record Layer(String content, List<String> below) {
    }
}
