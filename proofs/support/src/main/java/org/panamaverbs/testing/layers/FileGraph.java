package org.panamaverbs.testing.layers;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The files of a module, each by the name of its top-level class without that of the module's package, and the files that each of them uses.
 * Of constants the compiler leaves no trace, and the subclasses that a sealed class permits do not count.
 */
final class FileGraph {
    private final SortedMap<String, SortedSet<String>> used = new TreeMap<>();

    /** Reads the files of the module whose package is {@code root}. */
    static FileGraph of(JavaClasses classes, String root) {
        FileGraph graph = new FileGraph();
        for (JavaClass type : classes) {
            if (type.getSimpleName().equals("package-info")) {
                continue;
            }
            String file = file(type, root);
            graph.add(file);
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                JavaClass target = dependency.getTargetClass().getBaseComponentType();
                if (classes.contain(target.getName())) {
                    graph.add(file, file(target, root));
                }
            }
        }
        return graph;
    }

    private static String file(JavaClass type, String root) {
        return type.getName().substring(root.length() + 1).replaceFirst("\\$.*", "");
    }

    FileGraph add(String file, String... others) {
        used.computeIfAbsent(file, added -> new TreeSet<>()).addAll(List.of(others));
        used.get(file).remove(file);
        return this;
    }

    SortedSet<String> files() {
        return new TreeSet<>(used.keySet());
    }

    SortedSet<String> usedBy(String file) {
        return used.getOrDefault(file, Collections.emptySortedSet());
    }

    /** The largest sets of files that each depend on all others of the set, directly or by other files. Each set is sorted. */
    List<List<String>> circles() {
        SortedMap<String, SortedSet<String>> reachable = new TreeMap<>();
        used.keySet().forEach(file -> reachable.put(file, reachableFrom(file)));
        List<List<String>> circles = new ArrayList<>();
        SortedSet<String> found = new TreeSet<>();
        reachable.forEach((file, others) -> {
            if (others.contains(file) && !found.contains(file)) {
                List<String> circle = others.stream().filter(other -> reachable.getOrDefault(other, new TreeSet<>()).contains(file))
                        .toList();
                found.addAll(circle);
                circles.add(circle);
            }
        });
        return circles;
    }

    private SortedSet<String> reachableFrom(String start) {
        SortedSet<String> reached = new TreeSet<>();
        List<String> open = new ArrayList<>(usedBy(start));
        while (!open.isEmpty()) {
            String file = open.removeLast();
            if (reached.add(file)) {
                open.addAll(usedBy(file));
            }
        }
        return reached;
    }
}
