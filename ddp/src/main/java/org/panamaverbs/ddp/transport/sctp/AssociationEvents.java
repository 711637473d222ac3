package org.panamaverbs.ddp.transport.sctp;

import com.sun.nio.sctp.AbstractNotificationHandler;
import com.sun.nio.sctp.AssociationChangeNotification;
import com.sun.nio.sctp.HandlerResult;
import com.sun.nio.sctp.Notification;

/** The notifications that come between the messages of an association, in their order. It keeps the one that ends the association. */
final class AssociationEvents extends AbstractNotificationHandler<Void> {
    private String lost;
    private boolean shutDown;

    /** Why the association is broken, or {@code null}. */
    String lost() {
        return lost;
    }

    /** Whether the association has been shut down, and all messages of the peer have come. */
    boolean isShutDown() {
        return shutDown;
    }

    @Override
    public HandlerResult handleNotification(AssociationChangeNotification notification, Void attachment) {
        switch (notification.event()) {
            case COMM_LOST -> lost = "the association was lost: the peer has aborted it, or does not answer";
            case RESTART -> lost = "the peer has restarted the association, and what it had before is lost";
            case CANT_START -> lost = "the association could not be established";
            // The side that began the shutdown never reads an end of the stream: this is all that it gets.
            case SHUTDOWN -> shutDown = true;
            case COMM_UP -> {
                // The channel is connected only after this.
            }
        }
        return HandlerResult.CONTINUE;
    }

    @Override
    public HandlerResult handleNotification(Notification notification, Void attachment) {
        return HandlerResult.CONTINUE;
    }
}
