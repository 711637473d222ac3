package org.panamaverbs.nfs.server.export;

/** The kind of a file ({@code inode(7)}). */
public enum Kind {
    REGULAR, DIRECTORY, LINK, BLOCK_DEVICE, CHARACTER_DEVICE, SOCKET, PIPE;

    private static final int MASK = 0170000;

    static Kind of(int mode) {
        return switch (mode & MASK) {
            case 0040000 -> DIRECTORY;
            case 0120000 -> LINK;
            case 0060000 -> BLOCK_DEVICE;
            case 0020000 -> CHARACTER_DEVICE;
            case 0140000 -> SOCKET;
            case 0010000 -> PIPE;
            default -> REGULAR;
        };
    }
}
