package org.panamaverbs.softiwarp.faults;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;

/**
 * How the processes start, hundreds of times: with an archive of the classes that they load, which spares most of their start. Such an
 * archive takes no folders of classes, so these become jars.
 */
final class StartImage {
    private final List<String> command;

    private StartImage(List<String> command) {
        this.command = command;
    }

    /** Java with its options and the class of the processes, without arguments. */
    List<String> command() {
        return command;
    }

    static StartImage make(Path folder) throws IOException {
        List<String> jars = new ArrayList<>();
        ToolProvider jar = ToolProvider.findFirst("jar").orElseThrow();
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        for (String entry : classPath.split(File.pathSeparator)) {
            if (!Files.isDirectory(Path.of(entry))) {
                jars.add(entry);
            } else {
                Path packed = folder.resolve("classes" + jars.size() + ".jar");
                if (jar.run(System.out, System.err, "-c", "-f", packed.toString(), "-C", entry, ".") != 0) {
                    throw new IOException("cannot pack " + entry);
                }
                jars.add(packed.toString());
            }
        }
        Path archive = folder.resolve("classes.jsa");
        Files.deleteIfExists(archive);
        // Ends by itself, since its standard input is empty.
        Process training = new ProcessBuilder(command(jars, "-XX:ArchiveClassesAtExit=" + archive, "server", "127.0.0.1"))
                .redirectInput(new File("/dev/null")).redirectErrorStream(true).redirectOutput(folder.resolve("start.log").toFile())
                .start();
        training.onExit().join();
        return new StartImage(Files.exists(archive) ? command(jars, "-XX:SharedArchiveFile=" + archive) : command(jars, "-Xshare:auto"));
    }

    /** Without --enable-native-access, which archives do not go with: so each process warns once. */
    private static List<String> command(List<String> jars, String option, String... arguments) {
        List<String> words = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx192m",
                "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UseDynamicNumberOfCompilerThreads", option, "-cp",
                String.join(File.pathSeparator, jars), FaultEnd.class.getName()));
        words.addAll(List.of(arguments));
        return words;
    }
}
