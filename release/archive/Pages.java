package org.panamaverbs.tools;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.asciidoctor.Asciidoctor;
import org.asciidoctor.Options;
import org.asciidoctor.SafeMode;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.codegen.docgen.manpage.ManPageGenerator;

/** Makes the man pages of all commands, and the completion for bash, from the commands themselves: {@code Pages SHARE}, a folder. */
final class Pages {
    private Pages() {
    }

    public static void main(String[] arguments) throws IOException {
        Path share = Path.of(arguments[0]);
        CommandLine commandLine = Pverbs.commandLine(System.err);
        Path completions = Files.createDirectories(share.resolve("bash-completion/completions"));
        Files.writeString(completions.resolve("pverbs"), AutoComplete.bash("pverbs", commandLine));

        Path man = Files.createDirectories(share.resolve("man/man1"));
        Path sources = Files.createTempDirectory(share, "man");
        int status = ManPageGenerator.generateManPage(sources.toFile(), null, new boolean[0], false, commandLine.getCommandSpec());
        if (status != 0) {
            throw new IOException("the man pages could not be made: status " + status);
        }
        try (Asciidoctor asciidoctor = Asciidoctor.Factory.create(); Stream<Path> pages = Files.list(sources)) {
            List<File> files = pages.map(Path::toFile).sorted().toList();
            for (File file : files) {
                asciidoctor.convertFile(file, Options.builder().backend("manpage").safe(SafeMode.UNSAFE).toDir(man.toFile()).build());
                Files.delete(file.toPath());
            }
        }
        Files.delete(sources);
    }
}
