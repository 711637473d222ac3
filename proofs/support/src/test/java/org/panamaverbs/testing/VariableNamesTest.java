package org.panamaverbs.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A variable has the name of what it holds: {@code connection}, {@code failure}, {@code nanoTime}. These names say what the author knows of
 * the value, or how it came about.
 */
class VariableNamesTest {
    private static final Set<String> NAMES = Set.of("known", "told", "made", "now", "way", "wish", "tried");
    /** Generated, or to be rebuilt. */
    private static final Set<String> LEFT_OUT = Set.of("bindings", "streams/sockets");

    @TempDir
    Path root;

    @Test
    void shouldNotNameAVariableAfterItsHistory() throws IOException {
        List<String> found = variables(TestClasses.project());
        assertEquals(0, found.size(), () -> "name these after what they hold:\n" + String.join("\n", found) + "\n");
    }

    @Test
    void shouldFindAVariableOfEachKind() throws IOException {
        Path source = root.resolve("ear/src/main/java/A.java");
        Files.createDirectories(source.getParent());
        Files.writeString(source, """
                record A(int known) {
                    static String told;

                    void run(int made) {
                        int now = made;
                        for (int way : new int[] { 1 }) {
                        }
                        Runnable task = () -> tried();
                        java.util.function.IntUnaryOperator same = wish -> wish;
                        Object text = told instanceof String tried ? tried : null;
                        int nowLater = 0;
                    }

                    void tried() {
                    }
                }
                """);
        assertEquals(List.of("1: known", "2: told", "4: made", "5: now", "6: way", "9: wish", "10: tried"),
                variables(root).stream().map(line -> line.replace("ear/src/main/java/A.java:", "")).toList());
    }

    private static List<Path> sources(Path root) throws IOException {
        List<Path> sources = new ArrayList<>();
        try (Stream<Path> folders = Files.walk(root, 2)) {
            for (Path main : folders.map(module -> module.resolve("src/main")).filter(Files::isDirectory).toList()) {
                try (Stream<Path> files = Files.walk(main)) {
                    files.filter(file -> file.toString().endsWith(".java"))
                            .filter(file -> LEFT_OUT.stream().noneMatch(root.relativize(file)::startsWith)).forEach(sources::add);
                }
            }
        }
        return sources;
    }

    /** The variables of all modules in a folder that have such a name: file, line and name. */
    private static List<String> variables(Path root) throws IOException {
        List<String> found = new ArrayList<>();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task = (JavacTask) compiler.getTask(null, files, null, List.of("-proc:none"), null,
                    files.getJavaFileObjectsFromPaths(sources(root)));
            Trees trees = Trees.instance(task);
            for (CompilationUnitTree unit : task.parse()) {
                new TreeScanner<Void, Void>() {
                    @Override
                    public Void visitVariable(VariableTree variable, Void unused) {
                        if (NAMES.contains(variable.getName().toString())) {
                            long line = unit.getLineMap().getLineNumber(trees.getSourcePositions().getStartPosition(unit, variable));
                            found.add(root.relativize(Path.of(unit.getSourceFile().toUri())) + ":" + line + ": " + variable.getName());
                        }
                        return super.visitVariable(variable, unused);
                    }
                }.scan(unit, null);
            }
        }
        return found;
    }
}
