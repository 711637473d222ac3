package org.panamaverbs.documents;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

/** The {@code pom.xml} of docs/getting-started.md, and the artifacts that pages name, fit this build. */
class PomBlocksTest {
    private static final Pattern BLOCK = Pattern.compile("^```xml\n(<project.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern ARTIFACT = Pattern.compile("org\\.panamaverbs:(panama-verbs[a-z-]*)(?::([0-9][\\w.-]*))?");

    @Test
    void shouldHaveAPomThatFits() throws Exception {
        Matcher blocks = BLOCK.matcher(Pages.text("docs/getting-started.md"));
        assertTrue(blocks.find(), "there is no pom.xml");
        Document parent = parsed(Pages.text("pom.xml"));
        String version = text(parent.getDocumentElement(), "version");
        List<String> artifacts = artifacts();
        Document own = parsed(blocks.group(1));
        assertEquals(text(parent.getDocumentElement(), "maven.compiler.release"), text(own.getDocumentElement(), "maven.compiler.release"));
        List<Element> used = elements(own, "dependency").filter(each -> text(each, "groupId").equals("org.panamaverbs")).toList();
        assertTrue(!used.isEmpty(), "it uses nothing of ours");
        for (Element each : used) {
            assertAll(() -> assertTrue(artifacts.contains(text(each, "artifactId")), () -> text(each, "artifactId")),
                    () -> assertEquals(version, text(each, "version")));
        }
        assertEquals(pluginVersion(parent), pluginVersion(own));
    }

    /** The names that pages give for a build of the reader's own, with or without a version. */
    @Test
    void shouldNameArtifactsOfTheBom() throws Exception {
        String version = text(parsed(Pages.text("pom.xml")).getDocumentElement(), "version");
        List<String> wrong = new ArrayList<>();
        int names = 0;
        for (String page : Pages.all()) {
            Matcher artifact = ARTIFACT.matcher(Pages.text(page));
            while (artifact.find()) {
                names++;
                if (!artifacts().contains(artifact.group(1)) || artifact.group(2) != null && !artifact.group(2).equals(version)) {
                    wrong.add(page + ": " + artifact.group());
                }
            }
        }
        assertEquals(List.of(), wrong);
        assertTrue(names > 2, names + " names are too few");
    }

    private static List<String> artifacts() throws Exception {
        return elements(parsed(Pages.text("bom/pom.xml")), "dependency").map(each -> text(each, "artifactId")).toList();
    }

    private static String pluginVersion(Document pom) {
        return elements(pom, "plugin").filter(each -> text(each, "artifactId").equals("maven-compiler-plugin"))
                .map(each -> text(each, "version")).findFirst().orElseThrow();
    }

    private static Document parsed(String text) throws Exception {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(text)));
    }

    private static Stream<Element> elements(Document document, String name) {
        var found = document.getElementsByTagName(name);
        return IntStream.range(0, found.getLength()).mapToObj(i -> (Element) found.item(i));
    }

    private static String text(Element element, String name) {
        return element.getElementsByTagName(name).item(0).getTextContent().strip();
    }
}
