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
    private final Map<String, String> upward = new LinkedHashMap<>();

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

    /**
     * Lets one class use one above it.
     *
     * @param arrow  as {@code A -> B}: A uses B
     * @param reason why it is there
     * @return this
     */
    public ClassLayers upward(String arrow, String reason) {
        if (upward.put(arrow, reason) != null) {
            throw new IllegalArgumentException(arrow + " is there twice");
        }
        return this;
    }

    String root() {
        return root;
    }

    List<String> names() {
        return List.copyOf(contents.keySet());
    }

    /** The arrows that run up and are not listed. */
    List<String> unlisted(FileGraph files) {
        return arrows(files).stream().filter(arrow -> !upward.containsKey(arrow.toString())).map(this::withLayers).toList();
    }

    /** The listed arrows that are not there, or do not run up. */
    List<String> gone(FileGraph files) {
        List<String> gone = new ArrayList<>(upward.keySet());
        arrows(files).forEach(arrow -> gone.remove(arrow.toString()));
        return gone;
    }

    private List<Arrow> arrows(FileGraph files) {
        List<Arrow> arrows = new ArrayList<>();
        order.forEach(from -> files.usedBy(from).stream().filter(to -> order.indexOf(to) > order.indexOf(from))
                .forEach(to -> arrows.add(new Arrow(from, to))));
        return arrows;
    }

    private String withLayers(Arrow arrow) {
        return arrow + " (" + contents.get(arrow.from()) + " -> " + contents.get(arrow.to()) + ")";
    }

    private record Arrow(String from, String to) {
        @Override
        public String toString() {
            return from + " -> " + to;
        }
    }
}
