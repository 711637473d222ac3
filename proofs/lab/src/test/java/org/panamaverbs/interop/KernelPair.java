package org.panamaverbs.interop;

import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;
import org.panamaverbs.contract.VerbsPair;

/** Pairs of which at least one end is a device of the lab's kernel. */
final class KernelPair implements VerbsPair {
    /** The ends there are, by their settings. */
    enum End {
        /** The kernel's soft-iWARP. */
        SIW0("rdma-core", "siw0"),
        /** The kernel's soft-RoCE. */
        RXE0("rdma-core", "rxe0"),
        /** Ours, over TCP. */
        SOFT_IWARP("soft-iwarp", ""),
        /**
         * Ours, over TCP, with the older handshake: as revision 2's asks for, we send an empty Write right after siw's Reply, and if siw
         * is not looking yet it never does, and is never connected (siw_accept sends the Reply before it installs siw_rtr_data_ready).
         */
        SOFT_IWARP_REVISION_1("soft-iwarp", "") {
            @Override
            Configuration.Builder settings() {
                return super.settings().set("panamaverbs.softiwarp.mpa-revision", "1");
            }
        },
        /** Ours, over TCP, without CRCs unless the peer asks for them. */
        SOFT_IWARP_WITHOUT_CRC("soft-iwarp", "") {
            @Override
            Configuration.Builder settings() {
                return super.settings().set("panamaverbs.softiwarp.crc", "off");
            }
        },
        /** The same with the older handshake. */
        SOFT_IWARP_REVISION_1_WITHOUT_CRC("soft-iwarp", "") {
            @Override
            Configuration.Builder settings() {
                return SOFT_IWARP_REVISION_1.settings().set("panamaverbs.softiwarp.crc", "off");
            }
        };

        private final String provider;
        private final String device;

        End(String provider, String device) {
            this.provider = provider;
            this.device = device;
        }

        private Verbs open() {
            return Verbs.open(settings().build());
        }

        Configuration.Builder settings() {
            return Configuration.builder().set("panamaverbs.provider", provider).set("panamaverbs.device", device);
        }

        private Optional<String> unavailable() {
            return Verbs.providers(Configuration.load()).stream().filter(status -> status.name().equals(provider))
                    .filter(status -> !status.available() || !status.detail().contains(device))
                    .map(status -> provider + ": " + status.detail()).findFirst();
        }
    }

    private static final String SIW_ADDRESS = "192.0.2.1";
    private static final String RXE_ADDRESS = "198.51.100.1";

    private final End client;
    private final End server;
    private final Map<String, String> excuses;

    KernelPair(End client, End server, Map<String, String> excuses) {
        this.client = client;
        this.server = server;
        this.excuses = excuses;
    }

    @Override
    public String name() {
        return client + " to " + server;
    }

    @Override
    public Verbs openClient() {
        return client.open();
    }

    @Override
    public Verbs openServer() {
        return server.open();
    }

    @Override
    public InetSocketAddress listenAddress() {
        return new InetSocketAddress(server.device.equals(End.RXE0.device) ? RXE_ADDRESS : SIW_ADDRESS, 0);
    }

    @Override
    public Optional<String> unavailable() {
        return client.unavailable().or(server::unavailable);
    }

    @Override
    public Optional<String> excuse(String test) {
        return excuses.entrySet().stream().filter(entry -> test.startsWith(entry.getKey())).map(Map.Entry::getValue).findFirst();
    }
}
