package org.panamaverbs.testing.layers;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The layers of a module that has one package: all its classes from the bottom to the top. A class uses only those that are listed before it,
 * in its own layer, too.
 */
public final class ClassLayers {
    private final String root;
    private final List<String> order = new ArrayList<>();
    private final Map<String, String> contents = new TreeMap<>();

    /**
     * A module without layers.
     *
     * @param root its package
     */
    public ClassLayers(String root) {
        this.root = root;
    }

    /**
     * Adds a layer above all layers before.
     *
     * @param content of the layer
     * @param classes simple names, from the bottom to the top
     * @return this
     */
    public ClassLayers layer(String content, String... classes) {
        for (String name : classes) {
            if (contents.put(name, content) != null) {
                throw new IllegalArgumentException(name + " is there twice");
            }
            order.add(name);
        }
        return this;
    }

    String root() {
        return root;
    }

    List<String> names() {
        return List.copyOf(contents.keySet());
    }

    /** The arrows that run up. */
    List<String> upward(FileGraph files) {
        List<String> arrows = new ArrayList<>();
        order.forEach(from -> files.usedBy(from).stream().filter(to -> order.indexOf(to) > order.indexOf(from))
                .forEach(to -> arrows.add(from + " -> " + to + " (" + contents.get(from) + " -> " + contents.get(to) + ")")));
        return arrows;
    }

    /** The table, as Markdown, from the top to the bottom. */
    String table() {
        Map<String, List<String>> rows = new LinkedHashMap<>();
        order.reversed().forEach(name -> rows.computeIfAbsent(contents.get(name), content -> new ArrayList<>()).add("`" + name + "`"));
        StringBuilder table = new StringBuilder("| content | classes: each uses those behind it alone |\n|---|---|\n");
        rows.forEach((content, names) -> table.append("| ").append(content).append(" | ").append(String.join(", ", names)).append(" |\n"));
        return table.toString();
    }
}
