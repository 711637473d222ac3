package org.panamaverbs.tools.nfs;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.panamaverbs.ResourceException;
import org.panamaverbs.nfs.client.DirectoryEntry;
import org.panamaverbs.nfs.client.FileName;
import org.panamaverbs.nfs.client.NfsFile;
import org.panamaverbs.nfs.xdr.Attribute;
import org.panamaverbs.nfs.xdr.Attributes;
import org.panamaverbs.nfs.xdr.FileType;
import org.panamaverbs.nfs.xdr.NfsTime;
import org.panamaverbs.nfs.xdr.Status;
import org.panamaverbs.tools.shared.Argument;
import org.panamaverbs.tools.shared.HostPort;
import org.panamaverbs.tools.shared.Json;
import org.panamaverbs.tools.shared.Printable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code pverbs nfs ls}: a directory of a server, or one file. */
@Command(name = "ls", mixinStandardHelpOptions = true, description = "Lists a directory of the server, or shows one file.")
public final class ListCommand implements Callable<Integer> {
    private static final String PERMISSIONS = "rwxrwxrwx";

    /** What an entry takes of the heap, and each character of its texts, in bytes: not less. */
    private static final long ENTRY = 1000;
    private static final long TEXT = 2;

    @Parameters(index = "0", paramLabel = "nfs://HOST[:PORT]/PATH", description = "The directory or file to list.")
    private String url;

    @Mixin
    private ClientOptions options;

    @Spec
    private CommandSpec spec;

    private long kept;

    @Override
    public Integer call() throws IOException {
        NfsUrl place = Argument.checked(spec, () -> NfsUrl.parse(url));
        List<DirectoryEntry> entries = new ArrayList<>();
        PrintWriter out = spec.commandLine().getOut();
        try (Server server = options.connect(place)) {
            server.run(client -> {
                NfsFile file = client.lookup(place.path());
                if (file.attributes().require(Attribute.TYPE) == FileType.DIRECTORY) {
                    client.list(file, entry -> keep(entries, entry));
                } else {
                    entries.add(
                            new DirectoryEntry(FileName.of(file.path().substring(file.path().lastIndexOf('/') + 1)), file.attributes()));
                }
                return null;
            });
            entries.sort(Comparator.comparing(DirectoryEntry::name));
            if (options.json()) {
                Map<String, Object> object = Json.object("nfs-ls");
                object.put("server", HostPort.text(server.address()));
                object.put("path", "/" + place.path());
                server.describe(object);
                object.put("entries", entries.stream().map(ListCommand::describe).toList());
                out.println(Json.line(object));
            } else {
                entries.forEach(entry -> out.println(Printable.of(line(entry))));
            }
        }
        out.flush();
        return 0;
    }

    /** Keeps an entry until all are there and can be sorted. A server can list without end: the heap is to hold all of them twice. */
    private void keep(List<DirectoryEntry> entries, DirectoryEntry entry) {
        Attributes attributes = entry.attributes();
        kept += ENTRY + TEXT * (entry.name().bytes().length + attributes.get(Attribute.OWNER).map(String::length).orElse(0)
                + attributes.get(Attribute.OWNER_GROUP).map(String::length).orElse(0));
        if (kept > Runtime.getRuntime().maxMemory() / 4) {
            throw new ResourceException("the list is too long: " + entries.size() + " entries take a quarter of the heap; -Xmx in "
                    + "PVERBS_JAVA_OPTS allows a larger one");
        }
        entries.add(entry);
    }

    private static Map<String, Object> describe(DirectoryEntry entry) {
        Attributes attributes = entry.attributes();
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("name", entry.name().toString());
        object.put("type", attributes.get(Attribute.TYPE).map(type -> type.name().toLowerCase(Locale.ROOT)).orElse(null));
        object.put("size", attributes.get(Attribute.SIZE).orElse(null));
        object.put("mode", attributes.get(Attribute.MODE).map(mode -> String.format("%04o", mode & 07777)).orElse(null));
        object.put("links", attributes.get(Attribute.NUMLINKS).orElse(null));
        object.put("owner", attributes.get(Attribute.OWNER).orElse(null));
        object.put("group", attributes.get(Attribute.OWNER_GROUP).orElse(null));
        object.put("modified", attributes.get(Attribute.TIME_MODIFY).map(time -> time.toInstant().toString()).orElse(null));
        attributes.get(Attribute.RDATTR_ERROR).filter(error -> error != Status.OK).ifPresent(error -> object.put("error", error.rfcName()));
        return object;
    }

    private static String line(DirectoryEntry entry) {
        Attributes attributes = entry.attributes();
        char type = attributes.get(Attribute.TYPE).map(FileType::letter).orElse('?');
        String modified = attributes.get(Attribute.TIME_MODIFY).map(NfsTime::toInstant)
                .map(time -> time.truncatedTo(ChronoUnit.SECONDS).toString()).orElse("-");
        return String.format(Locale.ROOT, "%c%s %3s %-10s %-10s %12s %s %s", type,
                attributes.get(Attribute.MODE).map(ListCommand::permissions).orElse("?????????"),
                attributes.get(Attribute.NUMLINKS).map(Integer::toUnsignedString).orElse("-"), attributes.get(Attribute.OWNER).orElse("-"),
                attributes.get(Attribute.OWNER_GROUP).orElse("-"), attributes.get(Attribute.SIZE).map(Long::toUnsignedString).orElse("-"),
                modified, entry.name());
    }

    /** As {@code ls -l} shows them, without the bits for set-user-ID and their kind. */
    private static String permissions(int mode) {
        StringBuilder text = new StringBuilder(PERMISSIONS);
        for (int i = 0; i < PERMISSIONS.length(); i++) {
            if ((mode >> PERMISSIONS.length() - 1 - i & 1) == 0) {
                text.setCharAt(i, '-');
            }
        }
        return text.toString();
    }
}
