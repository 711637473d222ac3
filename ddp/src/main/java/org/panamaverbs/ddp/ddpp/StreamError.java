package org.panamaverbs.ddp.ddpp;

/** Why a byte stream of DDPP messages must end. {@link StreamReader#describe()} names the bytes. */
public enum StreamError {
    /** No error. */
    NONE,
    /** The stream does not begin with the preamble. */
    PREAMBLE,
    /** The length of a message is out of range. */
    LENGTH,
    /** A message has another version. */
    VERSION,
    /** A message has another kind. */
    KIND,
    /** A decorated message is shorter than its header. */
    SHORT,
    /** An undecorated message came, and no receive was posted. */
    WITHOUT_RECEIVE,
    /** An undecorated message is longer than the posted receive. */
    TOO_LONG,
    /** The memory of the posted receive could not be used. */
    BAD_MEMORY,
    /** The stream ended within its preamble or a message. */
    TRUNCATED
}
