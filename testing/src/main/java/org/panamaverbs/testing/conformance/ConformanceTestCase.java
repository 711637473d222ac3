package org.panamaverbs.testing.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.testing.TestClasses;
import org.panamaverbs.testing.conformance.Row.Answer;

/**
 * The registers of a module, which has a subclass {@code ConformanceTest}. It must run after all other tests, in an execution of surefire
 * of its own. With {@code -Dconformance.write=true} it writes the pages anew.
 */
public abstract class ConformanceTestCase {
    /** A class, and maybe a member of it, between backticks. */
    private static final Pattern CODE = Pattern.compile("`([A-Z]\\w+)(?:\\.(\\w+))?`");
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
        Set<String> unknown = new TreeSet<>(tests.byRequirement().keySet());
        registers.forEach(register -> register.rows().forEach(row -> unknown.remove(row.number())));
        assertNone(List.copyOf(unknown), "no row ");
        assertNone(tests.faults(), "");
    }

    @Test
    void shouldHaveRunEveryTestThatNamesARequirement() {
        SurefireReports reports = new SurefireReports(module);
        assertNone(tests.byRequirement().values().stream().flatMap(Set::stream).distinct().flatMap(test -> reports.fault(test).stream())
                .distinct().toList(), "");
    }

    @Test
    void shouldNameCodeThatExists() {
        Map<String, String> classes = TestClasses.names("target/classes").stream()
                .collect(Collectors.toMap(name -> name.substring(name.lastIndexOf('.') + 1), name -> name, (a, b) -> a));
        List<String> missing = new ArrayList<>();
        for (Register register : registers) {
            for (Row row : register.rows()) {
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
        Path pages = module.resolveSibling("docs/conformance");
        for (Register register : registers) {
            Path page = pages.resolve(register.name() + ".md");
            String text = register.page(module.getFileName().toString(), tests.names());
            if (Boolean.getBoolean("conformance.write")) {
                Files.createDirectories(pages);
                Files.writeString(page, text);
            }
            assertEquals(text, Files.exists(page) ? Files.readString(page) : "",
                    page + " is not up to date: run with -Dconformance.write=true");
        }
    }

    private static void assertNone(List<String> faults, String what) {
        assertEquals(0, faults.size(), () -> what + String.join("\n" + what, faults) + "\n");
    }
}
