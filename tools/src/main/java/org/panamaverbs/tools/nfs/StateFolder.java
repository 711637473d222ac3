package org.panamaverbs.tools.nfs;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.panamaverbs.tools.shared.HostPort;

/**
 * The folder for what outlives {@code serve}: below the user's folder for state (XDG Base Directory Specification), one for each served folder
 * and address, since the clients of another address do not come back to this one.
 */
final class StateFolder {
    private static final int NAME_BYTES = 8;

    private StateFolder() {
    }

    /**
     * The usual folder.
     *
     * @param wanted  the value of XDG_STATE_HOME, or {@code null}
     * @param home    the user's home
     * @param served  the folder that is served
     * @param address as the command line names it
     * @return {@code null} if the system chooses the port: no client finds the server again after a restart
     */
    static Path usual(String wanted, String home, Path served, InetSocketAddress address) {
        if (address.getPort() == 0) {
            return null;
        }
        // The specification says to ignore paths that are not absolute.
        Path base = wanted != null && wanted.startsWith("/") ? Path.of(wanted) : Path.of(home, ".local", "state");
        return base.resolve("panama-verbs").resolve("nfs").resolve(name(served + "\n" + HostPort.text(address)));
    }

    private static String name(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, NAME_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
    }
}
