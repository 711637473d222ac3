package org.panamaverbs.testing.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.testing.Proofs;
import org.panamaverbs.testing.TestClasses;
import org.panamaverbs.testing.conformance.Row.Answer;

/**
 * The registers of a module, which has a subclass {@code ConformanceTest}. It must run after all other tests, in an execution of surefire
 * of its own. With {@code -Dconformance.write=true} it writes the pages anew.
 */
// Tested by ConformanceTest, RegisterTest, RowTest.
public abstract class ConformanceTestCase {
    /** A class, and maybe a member of it, between backticks. */
    private static final Pattern CODE = Pattern.compile("`([A-Z]\\w+)(?:\\.(\\w+))?`");
    /** What else may stand between backticks: a setting or a method without its class. */
    private static final Pattern WORD = Pattern.compile("`[a-z][\\w.-]*`");
    private static final Pattern QUOTED = Pattern.compile("`[^`]*`");
    /** A page names the register that it was made from. */
    private static final Path PROJECT = TestClasses.project();
    private static final String MADE_FROM = "Made from `%s/src/test/conformance/";
    /** The parent POM has it, too. */
    private static final DateTimeFormatter BUILD_TIME = DateTimeFormatter.ofPattern("yyyyMMddHHmmssSSS");
    private final Path module = TestClasses.module();
    private final AnnotatedTests tests = AnnotatedTests.ofModule();
    private List<Register> registers;

    @BeforeEach
    void read() throws IOException {
        registers = Register.all(module.resolve("src/test/conformance"));
        assertFalse(registers.isEmpty(), "no register");
    }

    @Test
    void shouldHaveARowForEverySentence() {
        for (Register register : registers) {
            assertEquals(register.sentences(), register.rows().size(), "rows of " + register.name());
        }
    }

    /** The registers do not quote the texts, so the build alone cannot see that a row is missing: somebody must have the texts. */
    @Test
    void shouldHaveEveryKeywordOfTheText() throws IOException {
        String texts = System.getProperty("conformance.texts", "");
        assumeFalse(texts.isEmpty(), "-Dconformance.texts=DIR compares the registers with the texts of the RFCs in that folder");
        List<String> faults = new ArrayList<>();
        for (Register register : registers.stream().filter(register -> register.whole().isEmpty()).toList()) {
            Path text = Path.of(texts).resolve(register.file().getFileName());
            Map<String, Map<String, Integer>> expected = Specification.read(text).keywords();
            Set<String> sections = new TreeSet<>(expected.keySet());
            sections.addAll(register.keywords().keySet());
            for (String section : sections) {
                Map<String, Integer> found = register.keywords().getOrDefault(section, Map.of());
                Map<String, Integer> wanted = expected.getOrDefault(section, Map.of());
                if (!found.equals(wanted) && !found.equals(Register.DEFINITION)) {
                    faults.add(register.prefix() + ", section " + section + ": the text has " + wanted + ", the rows have " + found);
                }
            }
        }
        assertNone(faults, "");
    }

    @Test
    void shouldHaveAnAnswerInEveryRow() {
        assertNone(faults(row -> !tests.byRequirement().containsKey(row.number()) && row.answer().isEmpty()), "no test and no answer: ");
        assertNone(faults(row -> row.answer().isPresent() == row.text().isEmpty()), "an answer without place, reason or owner: ");
        assertNone(faults(row -> row.paraphrase().isEmpty() || row.keywords().isEmpty()), "no paraphrase: ");
        assertNone(
                faults(row -> row.answer().filter(answer -> answer == Answer.CONSTRUCTION).isPresent() && !CODE.matcher(row.text()).find()),
                "by construction, and names no class: ");
    }

    private List<String> faults(Predicate<Row> fault) {
        return registers.stream().flatMap(register -> register.rows().stream()).filter(fault).map(Row::number).toList();
    }

    @Test
    void shouldHaveARowForEveryRequirementThatATestNames() {
        Map<String, Set<String>> unknown = tests.names();
        registers.forEach(register -> register.rows().forEach(row -> unknown.remove(row.number())));
        List<String> faults = new ArrayList<>(tests.faults());
        unknown.forEach((number, names) -> faults.add(String.join(", ", names) + ": no row " + number));
        assertNone(faults, "");
    }

    /** The default build leaves out what the profile {@code proofs} runs; the pages say which tests these are. */
    @Test
    void shouldHaveRunEveryTestThatNamesARequirement() {
        SurefireReports reports = new SurefireReports(module, begun());
        assertNone(tests.byRequirement().values().stream().flatMap(Set::stream).distinct()
                .filter(test -> Proofs.run() || !Proofs.contain(test)).flatMap(test -> reports.fault(test).stream()).distinct().toList(),
                "");
    }

    /** When this build began; a report of an earlier one shows nothing. Without Maven, any report counts. */
    private static Instant begun() {
        String begun = System.getProperty("conformance.begun", "");
        return begun.isEmpty() ? Instant.EPOCH : LocalDateTime.parse(begun, BUILD_TIME).toInstant(ZoneOffset.UTC);
    }

    @Test
    void shouldNameCodeThatExists() {
        Map<String, String> classes = TestClasses.names("target/classes").stream()
                .collect(Collectors.toMap(name -> name.substring(name.lastIndexOf('.') + 1), name -> name, (a, b) -> a));
        List<String> missing = new ArrayList<>();
        for (Register register : registers) {
            for (Row row : register.rows()) {
                QUOTED.matcher(row.text()).results().map(MatchResult::group)
                        .filter(quoted -> !CODE.matcher(quoted).matches() && !WORD.matcher(quoted).matches()).forEach(quoted -> missing
                                .add(row.number() + " has " + quoted + ", which is neither a class nor one of its members"));
                for (Matcher code = CODE.matcher(row.text()); code.find();) {
                    if (!classes.containsKey(code.group(1)) || !hasMember(classes.get(code.group(1)), code.group(2))) {
                        missing.add(row.number() + " names " + code.group());
                    }
                }
            }
        }
        assertNone(missing, "");
    }

    private static boolean hasMember(String type, String member) {
        try {
            Class<?> found = Class.forName(type, false, ConformanceTestCase.class.getClassLoader());
            return member == null || java.util.Arrays.stream(found.getDeclaredMethods()).anyMatch(method -> method.getName().equals(member))
                    || java.util.Arrays.stream(found.getDeclaredFields()).anyMatch(field -> field.getName().equals(member));
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    @Test
    void shouldHavePagesThatAreUpToDate() throws IOException {
        Path pages = PROJECT.resolve("docs/conformance");
        for (Register register : registers) {
            Path page = pages.resolve(register.name() + ".md");
            String text = register.page(PROJECT.relativize(module).toString(), tests.names());
            if (Boolean.getBoolean("conformance.write")) {
                Files.createDirectories(pages);
                Files.writeString(page, text);
            }
            assertEquals(text, Files.exists(page) ? Files.readString(page) : "",
                    page + " is not up to date: run with -Dconformance.write=true");
        }
    }

    @Test
    void shouldHaveARegisterForEveryPage() throws IOException {
        String madeFrom = MADE_FROM.formatted(PROJECT.relativize(module));
        Set<String> pages = new TreeSet<>();
        try (Stream<Path> files = Files.list(PROJECT.resolve("docs/conformance"))) {
            for (Path page : files.toList()) {
                if (Files.readString(page).contains(madeFrom)) {
                    pages.add(page.getFileName().toString().replace(".md", ""));
                }
            }
        }
        assertEquals(registers.stream().map(Register::name).collect(Collectors.toCollection(TreeSet::new)), pages);
    }

    private static void assertNone(List<String> faults, String what) {
        assertEquals(0, faults.size(), () -> what + String.join("\n" + what, faults) + "\n");
    }
}
