package org.panamaverbs.device;

/** The protocol that a device speaks ({@code ibv_transport_type}, with RoCE told from InfiniBand by the link layer of its port). */
public enum Transport {
    /** InfiniBand. */
    INFINIBAND("InfiniBand"),
    /** InfiniBand's transport over Ethernet or UDP (RDMA over Converged Ethernet). */
    ROCE("RoCE"),
    /** RDMA over TCP (RFC 5040, 5041 and 5044). */
    IWARP("iWARP"),
    /** The transport of Amazon's Elastic Fabric Adapter. */
    EFA("EFA"),
    /** One that has no name here. */
    OTHER("other");

    private final String words;

    Transport(String words) {
        this.words = words;
    }

    /** Its name for people, as "iWARP". */
    @Override
    public String toString() {
        return words;
    }
}
