package org.panamaverbs.tools.doctor;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.panamaverbs.Verbs;

/** Goes through what RDMA devices need: libraries, kernel, device files, locked memory, ports. Reads files, and changes nothing. */
final class Checkup {
    private static final String VERBS_FILES = "sys/class/infiniband_verbs";
    private static final String CONTAINER = "in a container: docker run --device /dev/infiniband --ulimit memlock=-1";
    private static final List<String> LIBRARY_FOLDERS = List.of("usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu", "usr/lib64",
            "usr/lib", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu", "lib64", "lib", "usr/local/lib", "usr/local/lib64");
    /** With this capability the kernel does not count pinned memory against the limit (capabilities(7)). */
    private static final long CAP_IPC_LOCK = 1L << 14;
    /** Bytes; the usual limit is 8 MiB, or 64 KiB on older systems. */
    private static final long HARDLY_ANY = 64L << 20;

    private final Tree tree;
    private final List<Verbs.ProviderStatus> providers;
    private final Function<String, List<String>> addresses;
    private final List<Finding> found = new ArrayList<>();

    /**
     * Makes one.
     *
     * @param root      where the files of the system are
     * @param providers what the library says itself
     * @param addresses the IP addresses of a network interface, by its name
     */
    Checkup(Path root, List<Verbs.ProviderStatus> providers, Function<String, List<String>> addresses) {
        tree = new Tree(root);
        this.providers = providers;
        this.addresses = addresses;
    }

    List<Finding> all() {
        found.add(Finding.ok("kernel", tree.text("proc/sys/kernel/osrelease").orElse("it does not say its version")));
        library("libibverbs.so.1", "apt install libibverbs1 ibverbs-providers; dnf install libibverbs");
        library("librdmacm.so.1", "apt install librdmacm1; dnf install librdmacm");
        devices();
        connectionManager();
        lockedMemory();
        namespaces();
        found.addAll(new Ports(tree, addresses).all());
        providers.forEach(this::provider);
        return found;
    }

    private void library(String name, String cure) {
        for (String folder : LIBRARY_FOLDERS) {
            if (tree.has(folder + "/" + name)) {
                found.add(Finding.ok("library", version(tree.path(folder + "/" + name))));
                return;
            }
        }
        found.add(Finding.missing("library", name + " is in none of the usual folders", cure));
    }

    /** The file behind the link has the version of rdma-core in its name: libibverbs.so.1.14.44.0 is of 44. */
    private static String version(Path library) {
        try {
            return library.toRealPath().getFileName().toString();
        } catch (IOException e) {
            return library.getFileName().toString();
        }
    }

    private void devices() {
        List<String> devices = tree.names(Ports.DEVICES);
        if (devices.isEmpty()) {
            found.add(Finding.missing("devices", "the kernel shows none",
                    "load the driver of the card (lspci -k names it; mlx5_ib, irdma, bnxt_re and others); in a network namespace of its own the "
                            + "device may be hidden: rdma system show. To try without a card: modprobe siw; rdma link add siw0 type siw netdev "
                            + "INTERFACE"));
            return;
        }
        for (String file : tree.names(VERBS_FILES)) {
            tree.text(VERBS_FILES + "/" + file + "/ibdev").ifPresent(device -> file("device " + device, "dev/infiniband/" + file));
        }
    }

    private void connectionManager() {
        if (tree.names(Ports.DEVICES).isEmpty()) {
            return;
        }
        if (tree.has("dev/infiniband/rdma_cm") || tree.has("sys/class/misc/rdma_cm")) {
            file("connections", "dev/infiniband/rdma_cm");
        } else {
            found.add(Finding.missing("connections", "the kernel has no rdma_cm", "modprobe rdma_ucm"));
        }
    }

    private void file(String subject, String name) {
        if (!tree.has(name)) {
            found.add(Finding.missing(subject, "there is no /" + name, CONTAINER + "; else udev has not made it: udevadm trigger"));
        } else if (!tree.isOpen(name)) {
            found.add(Finding.missing(subject, "this user may not read and write /" + name,
                    "the package rdma-core has udev rules that let all users; or: chmod a+rw /" + name));
        } else {
            found.add(Finding.ok(subject, "/" + name));
        }
    }

    private void lockedMemory() {
        String subject = "locked memory";
        Optional<Long> capabilities = tree.line("proc/self/status", "CapEff:").filter(text -> text.matches("[0-9a-f]{1,16}"))
                .map(text -> Long.parseUnsignedLong(text, 16));
        Optional<String> limit = tree.line("proc/self/limits", "Max locked memory").map(text -> text.split("\\s+")[0]);
        String cure = "ulimit -l unlimited; or /etc/security/limits.d/rdma.conf: * - memlock unlimited; systemd: LimitMEMLOCK=infinity; "
                + CONTAINER;
        if (capabilities.isPresent() && (capabilities.get() & CAP_IPC_LOCK) != 0) {
            found.add(Finding.ok(subject, "no limit: the process has CAP_IPC_LOCK"));
        } else if (limit.isEmpty()) {
            found.add(Finding.note(subject, "the kernel does not say the limit", cure));
        } else if (!limit.get().matches("[0-9]{1,18}")) {
            found.add(Finding.ok(subject, limit.get()));
        } else {
            long bytes = Long.parseLong(limit.get());
            String text = "at most " + bytes / 1024 + " KiB of registered memory";
            found.add(bytes < HARDLY_ANY ? Finding.missing(subject, text, cure) : Finding.note(subject, text, cure));
        }
    }

    private void namespaces() {
        tree.text("sys/module/ib_core/parameters/netns_mode").filter(mode -> mode.equals("N"))
                .ifPresent(_ -> found.add(Finding.note("namespaces", "each device belongs to one network namespace",
                        "rdma dev set DEVICE netns NAME moves it; rdma system set netns shared shows all devices everywhere")));
    }

    /** What the library says counts only if nothing above explains it. */
    private void provider(Verbs.ProviderStatus status) {
        String subject = status.name();
        if (status.available()) {
            found.add(Finding.ok(subject, status.detail()));
        } else if (found.stream().anyMatch(Finding::isMissing)) {
            found.add(Finding.note(subject, status.detail(), ""));
        } else {
            found.add(Finding.missing(subject, status.detail(), ""));
        }
    }
}
