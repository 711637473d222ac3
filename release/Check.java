import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/**
 * Checks a bundle that was unpacked, by the rules of the Central portal (central.sonatype.org/publish/requirements) and by ours:
 * {@code java release/Check.java BUNDLE VERSION}. It prints each breach and ends with status 1, or it prints what the bundle has.
 */
// release/check-rules breaks each rule once.
public final class Check {
    private static final String GROUP = "org.panamaverbs";
    private static final Map<String, String> CHECKSUMS = Map.of("md5", "MD5", "sha1", "SHA-1", "sha256", "SHA-256", "sha512", "SHA-512");
    private static final List<String> REQUIRED = List.of("name", "description", "url", "licenses/license/name", "licenses/license/url",
            "developers/developer/name", "scm/connection", "scm/developerConnection", "scm/url");
    private static final List<String> FORBIDDEN = List.of("parent", "repositories", "pluginRepositories", "distributionManagement");
    private static final int JAVA_22 = 66;

    private final XPath paths = XPathFactory.newInstance().newXPath();
    private final List<String> breaches = new ArrayList<>();
    private final Map<String, String> licencesByLibrary = new TreeMap<>();
    private final Path bundle;
    private final String version;
    private final List<Artifact> artifacts;
    private final Set<String> licences;
    private final Set<String> checksums;

    /** A line of release/artifacts. */
    private record Artifact(String name, List<String> extras) {
        boolean hasJar() {
            return !extras.contains("pom");
        }

        /** What stands after name and version in the names of its files. */
        List<String> suffixes() {
            return hasJar()
                    ? Stream.concat(Stream.of(".pom", ".jar", "-sources.jar", "-javadoc.jar", "-cyclonedx.json", "-cyclonedx.xml"),
                            extras.stream().map(extra -> "-" + extra + ".jar")).toList()
                    : List.of(".pom");
        }
    }

    private Check(Path bundle, String version, Path lists) throws IOException {
        this.bundle = bundle;
        this.version = version;
        this.artifacts = lines(lists.resolve("artifacts")).map(line -> List.of(line.split(" +")))
                .map(words -> new Artifact(words.getFirst(), words.subList(1, words.size()))).toList();
        this.licences = lines(lists.resolve("licences")).collect(Collectors.toSet());
        this.checksums = lines(lists.resolve("checksums")).collect(Collectors.toSet());
    }

    public static void main(String[] arguments) throws Exception {
        Check check = new Check(Path.of(arguments[0]), arguments[1], Path.of(System.getProperty("lists", "release")));
        check.run();
        check.breaches.forEach(System.out::println);
        if (!check.breaches.isEmpty()) {
            System.exit(1);
        }
        check.report();
    }

    private static Stream<String> lines(Path file) throws IOException {
        return Files.readAllLines(file).stream().filter(line -> !line.isBlank() && !line.startsWith("#"));
    }

    private void run() throws Exception {
        if (version.contains("SNAPSHOT")) {
            breaches.add(version + " is no version of a release");
            return;
        }
        Set<String> unexpected = filesOfBundle();
        for (Artifact artifact : artifacts) {
            for (String suffix : artifact.suffixes()) {
                String name = artifact.name() + "-" + version + suffix;
                Path file = bundle.resolve(GROUP.replace('.', '/')).resolve(artifact.name()).resolve(version).resolve(name);
                if (present(unexpected, file, name)) {
                    if (present(unexpected, file.resolveSibling(name + ".asc"), name + ".asc")) {
                        checkSignature(name, file);
                    }
                    checkSums(unexpected, name, file);
                    checkContent(artifact, suffix, name, file);
                }
            }
        }
        unexpected.forEach(file -> breaches.add(file + ": is not to be published"));
    }

    private Set<String> filesOfBundle() throws IOException {
        try (Stream<Path> tree = Files.walk(bundle)) {
            return tree.filter(Files::isRegularFile).map(file -> bundle.relativize(file).toString())
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private boolean present(Set<String> unexpected, Path file, String name) {
        boolean present = unexpected.remove(bundle.relativize(file).toString());
        if (!present) {
            breaches.add(name + ": is missing");
        }
        return present;
    }

    private void checkSums(Set<String> unexpected, String name, Path file) throws IOException, GeneralSecurityException {
        for (Map.Entry<String, String> algorithm : CHECKSUMS.entrySet()) {
            Path sum = file.resolveSibling(name + "." + algorithm.getKey());
            if (present(unexpected, sum, sum.getFileName().toString())) {
                byte[] digest = MessageDigest.getInstance(algorithm.getValue()).digest(Files.readAllBytes(file));
                breachIf(!Files.readString(sum).equals(HexFormat.of().formatHex(digest)), sum.getFileName().toString(), "is wrong");
            }
        }
    }

    private void checkSignature(String name, Path file) throws IOException, InterruptedException {
        Process gpg = new ProcessBuilder("gpg", "--batch", "--verify", file + ".asc", file.toString())
                .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        breachIf(gpg.waitFor() != 0, name + ".asc", "is no good signature");
    }

    private void checkContent(Artifact artifact, String suffix, String name, Path file) throws Exception {
        switch (suffix) {
            case ".pom" -> checkPom(artifact, name, document(file));
            case ".jar" -> {
                checkJar(name, file);
                checkHas(name, file, "module-info.class");
            }
            case "-sources.jar" -> checkHas(name, file, ".java");
            case "-javadoc.jar" -> checkHas(name, file, "index.html");
            case "-cyclonedx.xml" -> checkLibraries(name, document(file));
            case "-cyclonedx.json" -> breachIf(!Files.readString(file).contains("\"bomFormat\" : \"CycloneDX\""), name, "is no SBOM");
            case "-agent.jar" -> {
                checkJar(name, file);
                try (JarFile jar = new JarFile(file.toFile())) {
                    breachIf(jar.getManifest().getMainAttributes().getValue("Premain-Class") == null, name, "has no Premain-Class");
                }
            }
            case "-tests.jar" -> checkClasses(name, file);
            default -> throw new IllegalStateException("no rule for " + name);
        }
    }

    private void checkPom(Artifact artifact, String name, Node pom) {
        for (String path : REQUIRED) {
            breachIf(text(pom, "/project/" + path).isBlank(), name, "has no " + path);
        }
        for (String path : FORBIDDEN) {
            breachIf(!nodes(pom, "/project/" + path).isEmpty(), name, "has " + path);
        }
        String coordinates = Stream.of("groupId", "artifactId", "version").map(part -> text(pom, "/project/" + part))
                .collect(Collectors.joining(":"));
        breachIf(!coordinates.equals(GROUP + ":" + artifact.name() + ":" + version), name, "is of " + coordinates);
        breachIf(text(pom, "/project/packaging").equals("pom") == artifact.hasJar(), name, "has the wrong packaging");
        Set<String> own = new TreeSet<>();
        for (Node dependency : nodes(pom, "//dependency")) {
            checkDependency(name, dependency, own);
        }
        if (!artifact.hasJar()) {
            breachIf(!own.equals(ownJars()), name, "lists " + own + ", not " + ownJars());
        }
    }

    private void checkDependency(String name, Node dependency, Set<String> own) {
        String group = text(dependency, "groupId");
        String library = text(dependency, "artifactId") + (text(dependency, "type").equals("test-jar") ? ":tests" : "");
        String needed = text(dependency, "version").replace("${project.version}", version);
        breachIf(needed.isBlank(), name, "depends on " + library + " without a version");
        breachIf(needed.contains("SNAPSHOT"), name, "depends on " + library + " " + needed);
        String scope = text(dependency, "scope");
        breachIf(Set.of("test", "system").contains(scope), name, "has a dependency of scope " + scope);
        if (group.equals(GROUP)) {
            own.add(library);
            breachIf(!ownJars().contains(library), name, "depends on " + library + ", which is not published");
            breachIf(!needed.equals(version) && !needed.contains("SNAPSHOT"), name, "depends on another version of " + library);
        }
    }

    private Set<String> ownJars() {
        return artifacts.stream().filter(Artifact::hasJar)
                .flatMap(artifact -> artifact.extras().contains("tests") ? Stream.of(artifact.name(), artifact.name() + ":tests")
                        : Stream.of(artifact.name()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private void checkJar(String name, Path jar) throws IOException {
        checkHas(name, jar, "META-INF/LICENSE");
        checkClasses(name, jar);
    }

    private void checkClasses(String name, Path jar) throws IOException {
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            for (ZipEntry entry : zip.stream().filter(entry -> entry.getName().endsWith(".class")).toList()) {
                try (InputStream input = zip.getInputStream(entry)) {
                    byte[] start = input.readNBytes(8);
                    breachIf(((start[6] & 0xff) << 8 | start[7] & 0xff) > JAVA_22, name, entry.getName() + " needs a JDK newer than 22");
                }
            }
        }
    }

    private void checkHas(String name, Path jar, String ending) throws IOException {
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            breachIf(zip.stream().noneMatch(entry -> entry.getName().endsWith(ending)), name, "has no " + ending);
        }
    }

    private void checkLibraries(String name, Node sbom) {
        for (Node component : nodes(sbom, "/bom/components/component")) {
            String library = text(component, "group") + ":" + text(component, "name") + ":" + text(component, "version");
            if (!library.startsWith(GROUP + ":")) {
                List<String> offered = nodes(component, "licenses/license/id | licenses/license/name | licenses/expression").stream()
                        .map(node -> node.getTextContent().strip()).toList();
                breachIf(offered.stream().noneMatch(licences::contains), name,
                        library + " has the licences " + offered + ", none of which is in release/licences");
                licencesByLibrary.put(library, String.join(" or ", offered));
                String sum = text(component, "hashes/hash[@alg='SHA-256']");
                breachIf(!checksums.contains(library + " " + sum), name,
                        library + " has the SHA-256 " + sum + ", and release/checksums has another or none");
            }
        }
    }

    private void report() throws IOException {
        System.out.println(artifacts.size() + " artifacts and " + filesOfBundle().size() + " files keep all rules.");
        Map<String, Long> totals = licencesByLibrary.values().stream()
                .collect(Collectors.groupingBy(licence -> licence, TreeMap::new, Collectors.counting()));
        System.out.println("Their SBOMs name " + licencesByLibrary.size() + " libraries of others: " + totals);
        licencesByLibrary.forEach((library, licence) -> System.out.println("  " + library + "  " + licence));
    }

    private void breachIf(boolean breach, String name, String text) {
        if (breach) {
            breaches.add(name + ": " + text);
        }
    }

    private static Node document(Path file) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        return factory.newDocumentBuilder().parse(file.toFile());
    }

    private String text(Node node, String path) {
        return nodes(node, path).stream().findFirst().map(found -> found.getTextContent().strip()).orElse("");
    }

    private List<Node> nodes(Node node, String path) {
        try {
            NodeList found = (NodeList) paths.evaluate(path, node, XPathConstants.NODESET);
            return Stream.iterate(0, index -> index < found.getLength(), index -> index + 1).map(found::item).toList();
        } catch (XPathExpressionException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
