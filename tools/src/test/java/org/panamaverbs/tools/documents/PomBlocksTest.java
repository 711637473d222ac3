package org.panamaverbs.tools.documents;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

/** Each complete {@code pom.xml} in the documents names artifacts, versions and the JDK as this build has them. */
class PomBlocksTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern BLOCK = Pattern.compile("^```xml\n(<project.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

    static List<String> shouldFitThisBuild() throws Exception {
        List<String> poms = new ArrayList<>();
        for (String page : List.of("README.md", "docs/getting-started.md")) {
            Matcher blocks = BLOCK.matcher(Files.readString(ROOT.resolve(page)));
            assertTrue(blocks.find(), page + " has no pom.xml");
            poms.add(blocks.group(1));
        }
        return poms;
    }

    @ParameterizedTest
    @MethodSource
    void shouldFitThisBuild(String pom) throws Exception {
        Document parent = parsed(Files.readString(ROOT.resolve("pom.xml")));
        String version = text(parent.getDocumentElement(), "version");
        List<String> artifacts = elements(parsed(Files.readString(ROOT.resolve("bom/pom.xml"))), "dependency")
                .map(each -> text(each, "artifactId")).toList();
        Document own = parsed(pom);
        assertEquals(text(parent.getDocumentElement(), "maven.compiler.release"), text(own.getDocumentElement(), "maven.compiler.release"));
        List<Element> used = elements(own, "dependency").filter(each -> text(each, "groupId").equals("org.panamaverbs")).toList();
        assertTrue(!used.isEmpty(), "it uses nothing of ours");
        for (Element each : used) {
            assertAll(() -> assertTrue(artifacts.contains(text(each, "artifactId")), () -> text(each, "artifactId")),
                    () -> assertEquals(version, text(each, "version")));
        }
        assertEquals(pluginVersion(parent), pluginVersion(own));
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
