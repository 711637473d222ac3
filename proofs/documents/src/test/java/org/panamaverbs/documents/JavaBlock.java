package org.panamaverbs.documents;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A block of Java code in a page, and what the HTML comments directly above it say. A block with a method {@code main} is a program. Each
 * other block is a fragment: statements that find the names of {@link Surroundings}.
 *
 * @param page  from the root of the project, for example {@code docs/memory.md}
 * @param line  of its first line of code, from 1
 * @param code  its lines
 * @param notes the keyword and the text of each comment
 */
record JavaBlock(String page, int line, List<String> code, Map<String, String> notes) {
    /** The block is compiled and not run; the text is the reason. */
    static final String COMPILED_ONLY = "compiled only";
    /** Code that the reader does not see. */
    static final String BEFORE = "before";
    static final String AFTER = "after";
    /** Command lines of a program, separated by commas: it runs once with each. */
    static final String ARGUMENTS = "arguments";
    /** A text that the output of a program contains. */
    static final String PRINTS = "prints";

    private static final List<String> OF_FRAGMENTS = List.of(COMPILED_ONLY, BEFORE, AFTER);
    private static final List<String> OF_PROGRAMS = List.of(COMPILED_ONLY, ARGUMENTS, PRINTS);
    private static final Pattern NOTE = Pattern
            .compile("<!--\\s*(" + String.join("|", COMPILED_ONLY, BEFORE, AFTER, ARGUMENTS, PRINTS) + "):(.*?)-->", Pattern.DOTALL);
    private static final Pattern MAIN = Pattern.compile("void main\\(");
    private static final Pattern CLASS = Pattern.compile("^(public )?(final )?class (\\w+)", Pattern.MULTILINE);
    private static final String FRAGMENT = "Fragment_";

    /** The blocks of a page. */
    static List<JavaBlock> of(Path root, String page) throws IOException {
        List<JavaBlock> blocks = new ArrayList<>();
        List<String> lines = Files.readAllLines(root.resolve(page));
        int above = 0;
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).strip().startsWith("```")) {
                int end = i + 1;
                while (!lines.get(end).strip().equals("```")) {
                    end++;
                }
                if (lines.get(i).strip().equals("```java")) {
                    blocks.add(new JavaBlock(page, i + 2, lines.subList(i + 1, end), notes(lines.subList(above, i))));
                }
                i = end;
                above = i + 1;
            } else if (!lines.get(i).isBlank() && !lines.get(i).contains("<!--") && isOutsideOfComments(lines.subList(above, i))) {
                above = i + 1;
            }
        }
        return blocks;
    }

    private static boolean isOutsideOfComments(List<String> lines) {
        String text = String.join("\n", lines);
        return text.lastIndexOf("<!--") <= text.lastIndexOf("-->");
    }

    private static Map<String, String> notes(List<String> comments) {
        Map<String, String> notes = new LinkedHashMap<>();
        Matcher note = NOTE.matcher(String.join("\n", comments));
        while (note.find()) {
            notes.merge(note.group(1), note.group(2).strip().replace('\n', ' '), (first, second) -> first + " " + second);
        }
        return notes;
    }

    JavaBlock {
        for (Map.Entry<String, String> note : notes.entrySet()) {
            boolean program = isProgram(code);
            if (!(program ? OF_PROGRAMS : OF_FRAGMENTS).contains(note.getKey())) {
                throw new IllegalArgumentException(page + ":" + line + ": \"" + note.getKey() + ":\" is not for a "
                        + (program ? "program" : "fragment") + ", but one of " + (program ? OF_PROGRAMS : OF_FRAGMENTS) + " is");
            }
            if (note.getValue().isEmpty()) {
                throw new IllegalArgumentException(page + ":" + line + ": \"" + note.getKey() + ":\" has no text");
            }
        }
    }

    private static boolean isProgram(List<String> code) {
        return code.stream().anyMatch(each -> MAIN.matcher(each).find());
    }

    boolean isProgram() {
        return isProgram(code);
    }

    boolean isRun() {
        return !notes.containsKey(COMPILED_ONLY);
    }

    /** Of the class to start. */
    String className() {
        if (!isProgram()) {
            return FRAGMENT + page.replaceAll("\\W", "_") + "_" + line;
        }
        Matcher type = CLASS.matcher(String.join("\n", code));
        String name = null;
        while (type.find()) {
            if (name == null || type.group(1) != null) {
                name = type.group(3);
            }
        }
        if (name == null) {
            throw new IllegalArgumentException(this + " has a main method and no class");
        }
        return name;
    }

    /** The source for a compiler. Each line has the number that it has in the page. */
    String source() {
        String above = "\n".repeat(line - 1);
        if (isProgram()) {
            return above + String.join("\n", code) + "\n";
        }
        String imports = code.stream().filter(JavaBlock::isImport).collect(Collectors.joining(" "));
        String statements = code.stream().map(each -> isImport(each) ? "" : each).collect(Collectors.joining("\n"));
        return Surroundings.IMPORTS + imports + " @SuppressWarnings(\"try\") public class " + className() + " extends "
                + Surroundings.class.getName() + " { @Override public void run() throws Exception { " + notes.getOrDefault(BEFORE, "")
                + above + statements + "\n" + notes.getOrDefault(AFTER, "") + " } }\n";
    }

    private static boolean isImport(String line) {
        return line.startsWith("import ");
    }

    @Override
    public String toString() {
        return page + ":" + line;
    }
}
