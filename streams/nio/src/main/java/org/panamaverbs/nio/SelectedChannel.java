package org.panamaverbs.nio;

/** A channel of this provider, as a selector sees it. */
interface SelectedChannel {
    /** A selector has it from now on; the channel calls {@link VerbsSelectionKey#carryBy} if it is the JDK's, now or later. */
    void registered(VerbsSelectionKey key);

    /** The selector has it no more. */
    void deregistered(VerbsSelectionKey key);

    /** {@return the operations that it is ready for over verbs; 0 if a channel of the JDK carries it} A query: it changes nothing. */
    int readyOps();
}
