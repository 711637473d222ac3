package org.panamaverbs.tools.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Function;

/** Whether the ports of the devices carry anything, and how: from sysfs (Linux, Documentation/ABI/stable/sysfs-class-infiniband). */
final class Ports {
    static final String DEVICES = "sys/class/infiniband";
    private static final String NETWORKS = "sys/class/net";
    private static final String NO_STATE = "an unknown state";
    /** Bytes: packets of RoCE with 4,096 bytes of payload, and their headers, need it. */
    private static final int MTU_FOR_4096 = 4200;

    private final Tree tree;
    private final Function<String, List<String>> addresses;

    /** @param addresses the IP addresses of a network interface, by its name */
    Ports(Tree tree, Function<String, List<String>> addresses) {
        this.tree = tree;
        this.addresses = addresses;
    }

    List<Finding> all() {
        List<Finding> found = new ArrayList<>();
        for (String device : tree.names(DEVICES)) {
            for (String port : tree.names(DEVICES + "/" + device + "/ports")) {
                examine(found, device, device + " port " + port, DEVICES + "/" + device + "/ports/" + port);
            }
        }
        return found;
    }

    private void examine(List<Finding> found, String device, String subject, String folder) {
        boolean rnic = tree.text(DEVICES + "/" + device + "/node_type").orElse("").startsWith("4");
        boolean ethernet = tree.text(folder + "/link_layer").orElse("").equals("Ethernet");
        String kind = rnic ? "iWARP" : ethernet ? "RoCE" : "InfiniBand";
        String network = network(device, folder);
        String state = tree.text(folder + "/state").orElse(NO_STATE);
        String rate = tree.text(folder + "/rate").map(text -> ", " + text).orElse("");
        if (state.endsWith("ACTIVE")) {
            found.add(Finding.ok(subject, kind + ", ACTIVE" + rate));
        } else {
            found.add(Finding.missing(subject, kind + ", " + state,
                    ethernet || rnic
                            ? "cable, switch, or the interface is down: ip link set " + (network.isEmpty() ? "INTERFACE" : network) + " up"
                            : "cable, switch, or no subnet manager: start opensm on one machine of the fabric"));
        }
        if (network.isEmpty()) {
            found.add(Finding.note(subject, "its network interface is not seen here, and librdmacm finds a device by its IP address",
                    "use the host's network namespace, or move the device: rdma system show; rdma dev set " + device + " netns NAME"));
            return;
        }
        examineNetwork(found, subject, folder, network, kind);
    }

    private void examineNetwork(List<Finding> found, String subject, String folder, String network, String kind) {
        List<String> here = addresses.apply(network);
        if (here.isEmpty()) {
            found.add(Finding.missing(subject, "interface " + network + " has no IP address, and librdmacm finds a device by it",
                    "ip address add ADDRESS/PREFIX dev " + network));
        } else {
            found.add(Finding.ok(subject, "interface " + network + ", " + String.join(", ", here)));
        }
        if (kind.equals("RoCE")) {
            examineRoce(found, subject, folder, network);
        }
    }

    private void examineRoce(List<Finding> found, String subject, String folder, String network) {
        TreeSet<String> types = new TreeSet<>();
        tree.names(folder + "/gid_attrs/types").forEach(index -> tree.text(folder + "/gid_attrs/types/" + index).ifPresent(types::add));
        if (!types.isEmpty() && types.stream().noneMatch(type -> type.contains("v2"))) {
            found.add(Finding.note(subject, "its GIDs are of " + String.join(", ", types) + " alone, which no router forwards",
                    "see whether the card and its driver know RoCE v2"));
        }
        tree.text(NETWORKS + "/" + network + "/mtu").map(Ports::number).filter(mtu -> mtu > 0 && mtu < MTU_FOR_4096)
                .ifPresent(mtu -> found.add(Finding.note(subject,
                        "interface " + network + " has an MTU of " + mtu + ", so packets carry "
                                + (mtu < 1100 ? "less than 1,024" : mtu < 2150 ? "1,024" : "2,048") + " bytes",
                        "4,096 need an MTU of " + MTU_FOR_4096 + " or more, on the switch as well: ip link set " + network + " mtu 9000")));
        found.add(Finding.note(subject, "whether the network loses packets (PFC) or marks them (ECN), only the card and the switch know",
                "ask: dcb pfc show dev " + network + "; or the card's own tool, as mlnx_qos -i " + network));
    }

    /** The interface behind a port; empty if it is not seen here. */
    private String network(String device, String folder) {
        String of = tree.text(folder + "/gid_attrs/ndevs/0").orElse("");
        List<String> networks = tree.names(DEVICES + "/" + device + "/device/net");
        String name = !of.isEmpty() ? of : !networks.isEmpty() ? networks.getFirst() : byHardwareAddress(folder);
        return !name.isEmpty() && tree.has(NETWORKS + "/" + name) ? name : "";
    }

    /** On iWARP the first GID is the hardware address of the interface, and zeros. */
    private String byHardwareAddress(String folder) {
        String gid = tree.text(folder + "/gids/0").orElse("").replace(":", "");
        return tree.names(NETWORKS).stream().filter(name -> isAddress(gid, tree.text(NETWORKS + "/" + name + "/address").orElse("")))
                .findFirst().orElse("");
    }

    private static boolean isAddress(String gid, String address) {
        String digits = address.replace(":", "");
        return digits.length() == 12 && !digits.equals("000000000000") && gid.equals(digits + "0".repeat(20));
    }

    private static int number(String text) {
        return text.matches("[0-9]{1,9}") ? Integer.parseInt(text) : 0;
    }
}
