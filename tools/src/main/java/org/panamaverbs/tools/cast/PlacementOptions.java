package org.panamaverbs.tools.cast;

import java.util.LinkedHashMap;
import java.util.Map;
import org.panamaverbs.Configuration;
import org.panamaverbs.ddp.DdpOptions;
import org.panamaverbs.tools.shared.Settings;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that both ends take. */
final class PlacementOptions {
    private static final long MOST_STAG = 0xffff_ffffL;
    private static final long MOST_ID = 0x7fff_ffffL;
    private static final int LONGEST_PAYLOAD = 65_507;
    private static final int MOST_TTL = 255;

    @Option(names = "--stag", required = true, paramLabel = "STAG", description = "The STag of the file at all receivers: 32 bits, decimal or 0x hexadecimal.")
    private String stag;

    @Option(names = "--notify", required = true, paramLabel = "ID", description = "The identifier of the notification that ends the file: 31 bits, decimal or 0x hexadecimal.")
    private String id;

    @Option(names = "--interface", paramLabel = "NAME", description = "The network interface of a multicast group. Default: the one that the system chooses.")
    private String networkInterface;

    @Option(names = "--ttl", paramLabel = "N", defaultValue = "1", description = "The time to live of datagrams to a multicast group. Default: ${DEFAULT-VALUE}.")
    private int ttl;

    @Option(names = "--payload", paramLabel = "BYTES", description = "UDP: the most octets of the file in one datagram. Default: as many as the MTU takes.")
    private Integer payload;

    @Option(names = "--ordered", description = "UDP: number the datagrams, and drop those that come late. Both ends must say so.")
    private boolean ordered;

    @Option(names = "--repair", description = "UDP: receivers name the octets that they lack, and get them again. Both ends must say so.")
    private boolean repair;

    @Option(names = "--json", description = "One JSON object.")
    private boolean json;

    @Option(names = "--quiet", description = "No progress bar.")
    private boolean quiet;

    @Option(names = "--set", paramLabel = "KEY=VALUE", description = "A setting, as `pverbs config` lists them; may be repeated.")
    private Map<String, String> settings = new LinkedHashMap<>();

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    int stag() {
        return (int) number("--stag", stag, MOST_STAG);
    }

    int id() {
        return (int) number("--notify", id, MOST_ID);
    }

    private long number(String option, String text, long most) {
        boolean hexadecimal = text.startsWith("0x") || text.startsWith("0X");
        try {
            long value = Long.parseLong(hexadecimal ? text.substring(2) : text, hexadecimal ? 16 : 10);
            if (value >= 0 && value <= most && Character.isLetterOrDigit(text.charAt(0))) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw usage(option + " is 0 to " + most + " or 0x0 to 0x" + Long.toHexString(most) + ", not \"" + text + "\"");
    }

    /** The place that an argument names; a wrong option for it is an error of usage. */
    CastUrl url(String text) {
        CastUrl url;
        try {
            url = CastUrl.parse(text);
        } catch (IllegalArgumentException e) {
            throw usage(e.getMessage());
        }
        if (!url.isDatagrams() && (repair || ordered || payload != null)) {
            throw usage(
                    "TCP loses nothing and keeps the order: leave " + (repair ? "--repair" : ordered ? "--ordered" : "--payload") + " out");
        }
        return url;
    }

    DdpOptions options() {
        if (payload != null && (payload < 1 || payload > LONGEST_PAYLOAD)) {
            throw usage("--payload is 1 to " + LONGEST_PAYLOAD + " octets, not " + payload);
        }
        if (ttl < 0 || ttl > MOST_TTL) {
            throw usage("--ttl is 0 to " + MOST_TTL + ", not " + ttl);
        }
        DdpOptions options = DdpOptions.DEFAULT.withOrdered(ordered).withTtl(ttl);
        if (payload != null) {
            options = options.withPayload(payload);
        }
        return networkInterface == null ? options : options.withNetworkInterface(networkInterface);
    }

    Configuration configuration() {
        return new Settings(settings).configuration(command);
    }

    boolean isRepair() {
        return repair;
    }

    boolean isJson() {
        return json;
    }

    boolean isQuiet() {
        return quiet;
    }

    ParameterException usage(String message) {
        return new ParameterException(command.commandLine(), message);
    }
}
