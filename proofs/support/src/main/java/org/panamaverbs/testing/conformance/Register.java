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
 *
 * <p>A module that answers some sentences of a specification whose register another module has, has a register with a {@code title} and
 * {@code whole}, the path of that register; its rows have section and letter, answer, and place, reason or owner.
 */
record Register(Path file, String title, String prefix, int sentences, List<Row> rows, Optional<Register> whole) {
    private static final int FIELDS = 5;
    private static final int FIELDS_OF_PART = 3;
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
        Register whole = null;
        int line = 0;
        for (String text : Files.readAllLines(file)) {
            line++;
            if (text.isBlank() || text.startsWith("#")) {
                continue;
            }
            if (!text.contains("|")) {
                String[] setting = text.split("=", 2);
                settings.put(setting[0].strip(), setting[1].strip());
                if (setting[0].strip().equals("whole")) {
                    whole = read(file.resolveSibling(setting[1].strip()));
                }
                continue;
            }
            String[] fields = text.split("\\|", -1);
            int expected = whole == null ? FIELDS : FIELDS_OF_PART;
            if (fields.length != expected) {
                throw new IOException(file + ":" + line + ": " + fields.length + " fields between bars, not " + expected);
            }
            Row row = whole == null ? row(settings.get("prefix") + "-" + fields[0].strip(), fields[1], fields[2], fields[3], fields[4])
                    : whole.part(fields);
            if (!numbers.add(row.number())) {
                throw new IOException(file + ":" + line + ": a second row " + row.number());
            }
            rows.add(row);
        }
        return whole == null ? new Register(file, settings.get("title"), settings.get("prefix"),
                Integer.parseInt(settings.get("sentences")), rows, Optional.empty())
                : new Register(file, settings.get("title"), whole.prefix, rows.size(), rows, Optional.of(whole));
    }

    private static Row row(String number, String keywords, String paraphrase, String answer, String text) {
        return new Row(number, keywords.strip(), paraphrase.strip(),
                answer.isBlank() ? Optional.empty() : Optional.of(Answer.of(answer.strip())), text.strip());
    }

    /** The row of a part of this register: another answer to the same sentence. */
    private Row part(String[] fields) throws IOException {
        String number = prefix + "-" + fields[0].strip();
        Row row = rows.stream().filter(each -> each.number().equals(number)).findAny()
                .orElseThrow(() -> new IOException(file + " has no row " + number));
        return row(number, row.keywords(), row.paraphrase(), fields[1], fields[2]);
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
        page.append("# ").append(title).append("\n\n")
                .append(whole
                        .map(register -> "Sentences of [" + register.name() + ".md](" + register.name() + ".md) that `" + module
                                + "` answers by tests or reasons of its own.")
                        .orElse("Every sentence with MUST, MUST NOT, SHALL, SHALL NOT, REQUIRED, SHOULD, SHOULD NOT or RECOMMENDED, "
                                + "in our words."))
                .append("\nMade from `").append(module).append("/src/test/conformance/").append(file.getFileName())
                .append("` and the annotations of tests: do not edit.\n\n").append(rows.size()).append(" rows: ").append(tested)
                .append(" tested, ").append(others).append(".\n\n");
        page.append("| row | keyword | requirement | answer |\n|---|---|---|---|\n");
        for (Row row : rows) {
            page.append("| ").append(row.number()).append(" | ").append(row.keywords()).append(" | ").append(row.paraphrase()).append(" | ")
                    .append(answer(row, tests.getOrDefault(row.number(), Set.of()))).append(" |\n");
        }
        return page.toString();
    }

    private static String answer(Row row, Set<String> tests) {
        String tested = tests.isEmpty() ? "" : "tested by " + String.join(", ", tests);
        String other = row.answer().map(answer -> answer.words() + ": " + row.text()).orElse("");
        return tested + (tested.isEmpty() || other.isEmpty() ? "" : "; ") + other;
    }
}
