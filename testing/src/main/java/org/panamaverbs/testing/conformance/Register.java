package org.panamaverbs.testing.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.panamaverbs.testing.conformance.Row.Answer;

/**
 * The table of a specification: settings ({@code title}, {@code prefix}, and {@code sentences}: how many a search of its text finds), and
 * rows with bars between section and letter, keywords, paraphrase, answer, and place, reason or owner.
 */
record Register(Path file, String title, String prefix, int sentences, List<Row> rows) {
    private static final int FIELDS = 5;
    /** The row of the sentence that explains all keywords. */
    static final Map<String, Integer> DEFINITION = Map.of("all", 1);

    static List<Register> all(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            List<Register> registers = new ArrayList<>();
            for (Path file : files.filter(name -> name.toString().endsWith(".txt")).sorted().toList()) {
                registers.add(read(file));
            }
            return registers;
        }
    }

    private static Register read(Path file) throws IOException {
        Map<String, String> settings = new HashMap<>();
        List<Row> rows = new ArrayList<>();
        Set<String> numbers = new LinkedHashSet<>();
        int line = 0;
        for (String text : Files.readAllLines(file)) {
            line++;
            if (text.isBlank() || text.startsWith("#")) {
                continue;
            }
            if (!text.contains("|")) {
                String[] setting = text.split("=", 2);
                settings.put(setting[0].strip(), setting[1].strip());
                continue;
            }
            String[] fields = text.split("\\|", -1);
            if (fields.length != FIELDS) {
                throw new IOException(file + ":" + line + ": " + fields.length + " fields between bars, not " + FIELDS);
            }
            Row row = row(settings.get("prefix"), fields);
            if (!numbers.add(row.number())) {
                throw new IOException(file + ":" + line + ": a second row " + row.number());
            }
            rows.add(row);
        }
        return new Register(file, settings.get("title"), settings.get("prefix"), Integer.parseInt(settings.get("sentences")), rows);
    }

    private static Row row(String prefix, String[] fields) {
        String answer = fields[3].strip();
        return new Row(prefix + "-" + fields[0].strip(), fields[1].strip(), fields[2].strip(),
                answer.isEmpty() ? Optional.empty() : Optional.of(Answer.of(answer)), fields[4].strip());
    }

    String name() {
        return file.getFileName().toString().replace(".txt", "");
    }

    /** How often the rows of each section have each keyword. */
    Map<String, Map<String, Integer>> keywords() {
        Map<String, Map<String, Integer>> keywords = new TreeMap<>();
        for (Row row : rows) {
            String section = row.number().substring(prefix.length() + 1, row.number().lastIndexOf('-'));
            for (String keyword : row.keywords().split(",")) {
                keywords.computeIfAbsent(section, each -> new TreeMap<>()).merge(keyword.strip(), 1, Integer::sum);
            }
        }
        return keywords;
    }

    /** The page of this register. */
    String page(String module, Map<String, Set<String>> tests) {
        long tested = rows.stream().filter(row -> row.answer().isEmpty()).count();
        String others = Stream.of(Answer.values())
                .map(answer -> rows.stream().filter(row -> row.answer().equals(Optional.of(answer))).count() + " " + answer.words())
                .collect(Collectors.joining(", "));
        StringBuilder page = new StringBuilder();
        page.append("# ").append(title).append("\n\nEvery sentence with MUST, MUST NOT, SHALL, SHALL NOT, REQUIRED, SHOULD, SHOULD NOT or ")
                .append("RECOMMENDED, in our words.\nMade from `").append(module).append("/src/test/conformance/")
                .append(file.getFileName()).append("` and the annotations of tests: do not edit.\n\n").append(rows.size())
                .append(" rows: ").append(tested).append(" tested, ").append(others).append(".\n\n");
        page.append("| row | keyword | requirement | answer |\n|---|---|---|---|\n");
        for (Row row : rows) {
            page.append("| ").append(row.number()).append(" | ").append(row.keywords()).append(" | ").append(row.paraphrase())
                    .append(" | ").append(answer(row, tests.getOrDefault(row.number(), Set.of()))).append(" |\n");
        }
        return page.toString();
    }

    private static String answer(Row row, Set<String> tests) {
        String tested = tests.isEmpty() ? ""
                : "tested by " + tests.stream().map(test -> "`" + test + "`").collect(Collectors.joining(", "));
        String other = row.answer().map(answer -> answer.words() + ": " + row.text()).orElse("");
        return tested + (tested.isEmpty() || other.isEmpty() ? "" : "; ") + other;
    }
}
