package org.panamaverbs.spi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * Whether a file that is found by its name is this user's own. In a folder such as {@code /tmp} another user may have put it there first.
 * The files of root are trusted, too. On file systems without POSIX owners every file is.
 *
 * <p>In a folder where other users may rename or remove this user's files, the file may be another one when it is opened.
 */
public final class FileTrust {
    private static final Set<PosixFilePermission> WRITE = EnumSet.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);
    private static final Set<PosixFilePermission> READ_OR_WRITE = EnumSet.of(PosixFilePermission.GROUP_READ,
            PosixFilePermission.OTHERS_READ, PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

    private FileTrust() {
    }

    /**
     * Asks whether another user may have written a file.
     *
     * @param file exists
     * @return the reason and the cure, for the end of a sentence; empty if the file is trusted
     * @throws IOException if the file's attributes cannot be read
     */
    public static Optional<String> objectionToContent(Path file) throws IOException {
        return objection(file, WRITE, "change it; chmod go-w");
    }

    /**
     * Asks whether another user may read or write a file.
     *
     * @param file exists
     * @return the reason and the cure, for the end of a sentence; empty if the file is trusted
     * @throws IOException if the file's attributes cannot be read
     */
    public static Optional<String> objectionToUse(Path file) throws IOException {
        return objection(file, READ_OR_WRITE, "read or change it; chmod go-rw");
    }

    private static Optional<String> objection(Path file, Set<PosixFilePermission> denied, String cure) throws IOException {
        PosixFileAttributes attributes;
        UserPrincipal owner;
        try {
            attributes = Files.readAttributes(file, PosixFileAttributes.class);
            // Of a link, which leads to any file that its owner likes.
            owner = Files.getOwner(file, LinkOption.NOFOLLOW_LINKS);
        } catch (UnsupportedOperationException e) {
            return Optional.empty();
        }
        UserPrincipal stranger = !isTrusted(owner) ? owner : !isTrusted(attributes.owner()) ? attributes.owner() : null;
        if (stranger != null) {
            return Optional.of("it belongs to user " + stranger.getName() + "; remove it, or make it yours by chown");
        }
        if (!Collections.disjoint(attributes.permissions(), denied)) {
            return Optional
                    .of("its mode " + PosixFilePermissions.toString(attributes.permissions()) + " lets other users " + cure + " " + file);
        }
        return Optional.empty();
    }

    private static boolean isTrusted(UserPrincipal owner) {
        // Without a list of users the name is the number.
        return owner.getName().equals("root") || owner.getName().equals("0") || isThisUser(owner);
    }

    private static boolean isThisUser(UserPrincipal owner) {
        try {
            // On Linux: the effective user, of whom the list of users need not know.
            return owner.equals(Files.getOwner(Path.of("/proc/self")));
        } catch (IOException e) {
            return owner.getName().equals(System.getProperty("user.name"));
        }
    }
}
