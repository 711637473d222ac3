package org.panamaverbs.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FindableTestsTest {
    @TempDir
    Path root;

    @Test
    void shouldFindATestForEveryClassOfThisRepository() throws IOException {
        List<String> faults = new FindableTests(TestClasses.project()).faults();
        assertEquals(0, faults.size(), () -> String.join("\n", faults) + "\n");
    }

    private void write(String file, String head, int lines) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, head + "\n" + "\n".repeat(lines - 1));
    }

    private void assertFaults(String... faults) throws IOException {
        assertEquals(List.of(faults), new FindableTests(root).faults());
    }

    private String missing(String file, String name) {
        return root.resolve(file) + ": 150 lines, no " + name + "Test, and no line '// Tested by ...Test.' above the class";
    }

    @Test
    void shouldAskForATestOfALongClass() throws IOException {
        write("head/ear/src/main/java/a/Short.java", "class Short", 149);
        write("head/ear/src/main/java/a/Ear.java", "class Ear", 150);
        write("bindings/src/main/java/a/Generated.java", "class Generated", 1000);
        assertFaults(missing("head/ear/src/main/java/a/Ear.java", "Ear"));
    }

    @ParameterizedTest
    @ValueSource(strings = { "ear/src/test/java/b/EarTest.java", "ear/src/test/java/a/EarFaultsTest.java",
            "proofs/stress/src/test/java/a/EarInterleavingsTest.java" })
    void shouldTakeATestWithTheNameOfTheClassInFront(String test) throws IOException {
        write("ear/src/main/java/a/Ear.java", "class Ear", 150);
        write(test, "class", 1);
        assertFaults();
    }

    @ParameterizedTest
    @ValueSource(strings = { "eye/src/test/java/a/EarTest.java", "ear/src/test/java/a/EarlyTest.java",
            "ear/src/test/java/a/EarFixture.java", "ear/src/test/java/a/EarDrumTest.java" })
    void shouldNotTakeATestOfSomethingElse(String test) throws IOException {
        write("ear/src/main/java/a/Ear.java", "class Ear", 150);
        write("ear/src/main/java/a/EarDrum.java", "class EarDrum", 1);
        write(test, "class", 1);
        assertFaults(missing("ear/src/main/java/a/Ear.java", "Ear"));
    }

    @Test
    void shouldTakeALineThatNamesTests() throws IOException {
        write("ear/src/main/java/a/Ear.java", "// Tested by HeadTest, FaceContract.\nclass Ear", 150);
        write("head/src/test/java/a/HeadTest.java", "class", 1);
        write("face/src/test/java/a/FaceContract.java", "class", 1);
        assertFaults();
    }

    @Test
    void shouldRefuseALineThatNamesATestThatIsNotThere() throws IOException {
        write("ear/src/main/java/a/Ear.java", "// Tested by HeadTest, FaceTest.\nclass Ear", 10);
        write("ear/src/test/java/a/HeadTest.java", "class", 1);
        assertFaults(root.resolve("ear/src/main/java/a/Ear.java") + ": there is no FaceTest");
    }

    @ParameterizedTest
    @ValueSource(strings = { "HeadTest", "HeadTest and FaceTest.", "all.", "Head.", "" })
    void shouldRefuseALineThatNobodyCanFollow(String names) throws IOException {
        write("ear/src/main/java/a/Ear.java", "// Tested by " + names + "\nclass Ear", 150);
        write("ear/src/test/java/a/HeadTest.java", "class", 1);
        assertFaults(root.resolve("ear/src/main/java/a/Ear.java") + ": a line names tests as in '// Tested by FooTest, BarContract.', not: "
                + names);
    }
}
