package org.panamaverbs.compare;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** A clone whose pverbs is a script that says what its revision was told to. */
record Repository(Path root) {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    static Repository create(Path root) throws Exception {
        assumeTrue(Programs.find("git") != null && Programs.find("tar") != null && Programs.find("sh") != null, "no git, tar or sh here");
        Repository repository = new Repository(Files.createDirectories(root));
        repository.git("init", "-q");
        return repository;
    }

    List<String> pverbs() {
        return List.of(root.resolve("pverbs").toString());
    }

    /** A revision whose perf knows these options, and carries so many bytes a second; it knows no setting but fpdu. */
    void commit(String version, String options, String bytesPerSecond) throws Exception {
        String line = Captured.text("pverbs-perf.jsonl").lines().filter(each -> each.contains("1048576")).findFirst().orElseThrow()
                .replaceFirst("\"bytesPerSecond\":[^,]*", "\"bytesPerSecond\":" + bytesPerSecond);
        Path script = root.resolve("pverbs");
        Files.writeString(script, """
                #!/bin/sh
                case "$1 $2" in
                  --version*) echo '%s' ;;
                  config*) echo 'panamaverbs.softiwarp.fpdu 64704 panamaverbs.softiwarp.transport auto' ;;
                  *--help) echo '%s' ;;
                  *) echo '%s' ;;
                esac
                """.formatted(version, options, line));
        Assumptions.assumeTrue(script.toFile().setExecutable(true));
        git("add", "pverbs");
        // Regardless of the user's own settings.
        git("-c", "user.name=nobody", "-c", "user.email=nobody@localhost", "-c", "commit.gpgSign=false", "-c", "core.hooksPath=/dev/null",
                "commit", "-q", "-m", version);
    }

    private void git(String... arguments) throws ProgramException, InterruptedException, IOException {
        List<String> command = new ArrayList<>(List.of("git", "-C", root.toString()));
        command.addAll(List.of(arguments));
        Programs.output("git", LIMIT, command.toArray(String[]::new));
    }
}
