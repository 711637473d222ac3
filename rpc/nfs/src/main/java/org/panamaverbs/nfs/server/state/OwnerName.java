package org.panamaverbs.nfs.server.state;

import java.util.Arrays;

/** The bytes by which a client, or an open of it, is known to itself (client_owner4, state_owner4). */
public record OwnerName(byte[] bytes) {
    @Override
    public boolean equals(Object other) {
        return other instanceof OwnerName owner && Arrays.equals(bytes, owner.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return "an owner of " + bytes.length + " bytes";
    }
}
