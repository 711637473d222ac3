import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.ext.heading.anchor.HeadingAnchorExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Heading;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;
import org.commonmark.renderer.text.TextContentRenderer;

/** Makes pages of the documents, and follows each link of all pages, the Javadoc's too: {@code Site ROOT SITE VERSION}. */
public final class Site {
    private static final String REPOSITORY = "https://github.com/panama-verbs/panama-verbs/blob/main/";
    private static final List<String> FOLDERS = List.of("", "docs", "docs/reference", "docs/conformance", "examples",
            "examples/loopback-provider", "benchmarks", "bindings", "proofs/lab");
    private static final List<Extension> EXTENSIONS = List.of(TablesExtension.create(), HeadingAnchorExtension.create());
    private static final Pattern REFERENCE = Pattern.compile("\\s(?:href|src)=\"([^\"]*)\"");
    private static final Pattern ANCHOR = Pattern.compile("\\s(?:id|name)=\"([^\"]*)\"");
    private static final Pattern SCHEME = Pattern.compile("[a-z]+:.*", Pattern.DOTALL);

    private final Parser parser = Parser.builder().extensions(EXTENSIONS).build();
    private final HtmlRenderer renderer = HtmlRenderer.builder().extensions(EXTENSIONS).build();
    private final Path root;
    private final Path site;
    private final String version;
    /** By their files, in the order of the navigation. */
    private final Map<String, Page> pages = new LinkedHashMap<>();

    private record Page(String file, String group, String title, Node document) {
        String html() {
            return file.equals("README.md") ? "index.html" : file.replaceFirst("\\.md$", ".html");
        }
    }

    private Site(Path root, Path site, String version) {
        this.root = root;
        this.site = site;
        this.version = version;
    }

    public static void main(String[] arguments) throws IOException {
        Site site = new Site(Path.of(arguments[0]), Path.of(arguments[1]), arguments[2]);
        site.read();
        site.write();
        List<String> dead = site.deadLinks();
        dead.forEach(System.out::println);
        System.exit(dead.isEmpty() ? 0 : 1);
    }

    /** Guides in the order in which the README names them. */
    private void read() throws IOException {
        Set<String> files = new LinkedHashSet<>(List.of("README.md"));
        Pattern.compile("]\\(([^)#\\s]+\\.md)").matcher(Files.readString(root.resolve("README.md"))).results()
                .forEach(link -> files.add(link.group(1)));
        for (String folder : FOLDERS) {
            try (Stream<Path> list = Files.list(root.resolve(folder))) {
                list.map(file -> root.relativize(file).toString()).filter(file -> file.endsWith(".md")).sorted().forEach(files::add);
            }
        }
        for (String file : files) {
            Node document = parser.parse(Files.readString(root.resolve(file)));
            pages.put(file, new Page(file, group(file), title(document), document));
        }
    }

    private static String group(String file) {
        if (file.equals("README.md")) {
            return "";
        }
        if (file.startsWith("docs/reference/")) {
            return "Reference";
        }
        if (file.startsWith("docs/conformance/")) {
            return "Conformance";
        }
        return file.startsWith("docs/") ? "Guides" : "Project";
    }

    private static String title(Node document) {
        for (Node node = document.getFirstChild(); node != null; node = node.getNext()) {
            if (node instanceof Heading heading && heading.getLevel() == 1) {
                return TextContentRenderer.builder().build().render(heading).strip();
            }
        }
        throw new IllegalArgumentException("a page without a heading");
    }

    private void write() throws IOException {
        Files.copy(root.resolve("release/site/style.css"), site.resolve("style.css"));
        for (Page page : pages.values()) {
            page.document().accept(new Links(page));
            Path target = site.resolve(page.html());
            Files.createDirectories(target.getParent());
            Files.writeString(target, html(page));
        }
        System.out.println(pages.size() + " pages of documents");
    }

    private String html(Page page) {
        String up = "../".repeat(page.file().split("/").length - 1);
        String navigation = Stream.of("Guides", "Reference", "Conformance", "Project").map(group -> navigation(page, group, up))
                .collect(Collectors.joining());
        // A wide table or picture scrolls by itself, not the page.
        String body = renderer.render(page.document()).replace("<table>", "<div class=\"wide\"><table>").replace("</table>", "</table></div>");
        String name = page.file().equals("README.md") ? "panama-verbs" : escaped(page.title()) + " - panama-verbs";
        return """
                <!DOCTYPE html>
                <html lang="en">
                <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <meta name="color-scheme" content="light dark">
                <title>%s</title>
                <link rel="stylesheet" href="%sstyle.css">
                </head>
                <body>
                <header><a class="name" href="%sindex.html">panama-verbs</a> <span>%s</span> <a href="%sapi/index.html">API</a></header>
                <input type="checkbox" id="menu"><label for="menu">All pages</label>
                <nav>
                %s</nav>
                <main>
                %s</main>
                </body>
                </html>
                """.formatted(name, up, up, version, up, navigation, body);
    }

    private String navigation(Page current, String group, String up) {
        String links = pages.values().stream().filter(page -> page.group().equals(group))
                .map(page -> "<li><a href=\"" + up + page.html() + "\"" + (page == current ? " aria-current=\"page\"" : "") + ">"
                        + escaped(page.title()) + "</a></li>\n")
                .collect(Collectors.joining());
        return "<details" + (current.group().equals(group) || group.equals("Guides") ? " open" : "") + "><summary>" + group
                + "</summary>\n<ul>\n" + links + "</ul>\n</details>\n";
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }

    /** Turns the links of a page in the repository into those of a page of the site. */
    private final class Links extends AbstractVisitor {
        private final Page page;

        Links(Page page) {
            this.page = page;
        }

        @Override
        public void visit(Link link) {
            link.setDestination(target(link.getDestination()));
            visitChildren(link);
        }

        @Override
        public void visit(Image image) {
            image.setDestination(target(image.getDestination()));
            visitChildren(image);
        }

        private String target(String link) {
            if (SCHEME.matcher(link).matches() || link.startsWith("#")) {
                return link;
            }
            int mark = link.indexOf('#');
            String file = Path.of(page.file()).resolveSibling(mark < 0 ? link : link.substring(0, mark)).normalize().toString();
            String anchor = mark < 0 ? "" : link.substring(mark);
            Page other = pages.get(file);
            if (other != null) {
                Path folder = site.resolve(page.html()).getParent();
                return folder.relativize(site.resolve(other.html())) + anchor;
            }
            if (!Files.exists(root.resolve(file))) {
                return link; // dead, as will be found
            }
            if (!file.startsWith("docs/images/")) {
                return REPOSITORY + file + anchor;
            }
            try {
                Path copy = site.resolve(file);
                Files.createDirectories(copy.getParent());
                if (!Files.exists(copy)) {
                    Files.copy(root.resolve(file), copy);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return link;
        }
    }

    /** Links within the site that lead nowhere. Others are counted alone: nothing is fetched here. */
    private List<String> deadLinks() throws IOException {
        List<Path> files;
        try (Stream<Path> tree = Files.walk(site)) {
            files = tree.filter(file -> file.toString().endsWith(".html")).sorted().toList();
        }
        Map<Path, Set<String>> anchors = new HashMap<>();
        Map<Path, List<String>> links = new HashMap<>();
        for (Path file : files) {
            String text = Files.readString(file);
            anchors.put(file, new HashSet<>(ANCHOR.matcher(text).results().map(id -> unescaped(id.group(1))).toList()));
            links.put(file, REFERENCE.matcher(text).results().map((MatchResult link) -> unescaped(link.group(1))).toList());
        }
        Set<String> dead = new TreeSet<>();
        int inside = 0;
        int outside = 0;
        for (Path file : files) {
            for (String link : links.get(file)) {
                if (SCHEME.matcher(link).matches()) {
                    outside++;
                } else {
                    inside++;
                    int mark = link.indexOf('#');
                    String name = mark < 0 ? link : link.substring(0, mark);
                    Path target = name.isEmpty() ? file : file.resolveSibling(name.replaceFirst("\\?.*", "")).normalize();
                    String anchor = mark < 0 ? "" : URLDecoder.decode(link.substring(mark + 1).replace("+", "%2B"), StandardCharsets.UTF_8);
                    if (!Files.isRegularFile(target) || !anchor.isEmpty() && anchors.containsKey(target)
                            && !anchors.get(target).contains(anchor)) {
                        dead.add("dead link in " + site.relativize(file) + ": " + link);
                    }
                }
            }
        }
        System.out.println(files.size() + " pages in all, " + inside + " links within, of which " + dead.size() + " are dead, and " + outside
                + " to other sites");
        return new ArrayList<>(dead);
    }

    private static String unescaped(String text) {
        return text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
    }
}
