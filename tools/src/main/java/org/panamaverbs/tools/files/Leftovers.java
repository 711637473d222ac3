package org.panamaverbs.tools.files;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.regex.Pattern;

/**
 * Parts in a folder that no process writes any more: a process that is killed cannot remove its own. A part in use is locked; the system
 * ends the lock with the process.
 */
public final class Leftovers {
    private static final Pattern NAME = Pattern
            .compile(Pattern.quote(NewFile.PART_PREFIX) + "[0-9a-f]{16}" + Pattern.quote(NewFile.PART_SUFFIX));

    private Leftovers() {
    }

    /**
     * Says which there are and how to remove them. To remove them here is not safe: the locks of other machines that share the folder may
     * not show. And a user who starts a server does not expect it to remove files.
     */
    public static Optional<String> in(Path folder) {
        long bytes = 0;
        StringJoiner paths = new StringJoiner(" ");
        try (DirectoryStream<Path> parts = Files.newDirectoryStream(folder, Leftovers::isLeftover)) {
            for (Path part : parts) {
                bytes += Files.size(part);
                paths.add("'" + part.toString().replace("'", "'\\''") + "'");
            }
        } catch (IOException | DirectoryIteratorException e) {
            return Optional.empty();
        }
        return bytes == 0 ? Optional.empty() : Optional
                .of("unfinished copies of earlier runs take " + bytes + " bytes, and no process uses them; to remove them: rm " + paths);
    }

    private static boolean isLeftover(Path path) {
        if (!NAME.matcher(path.getFileName().toString()).matches() || NewFile.isPart(path)) {
            return false;
        }
        try {
            BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            // An empty one may be about to be locked.
            return attributes.isRegularFile() && attributes.size() > 0 && isUnlocked(path);
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean isUnlocked(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
                FileLock lock = channel.tryLock()) {
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }
}
