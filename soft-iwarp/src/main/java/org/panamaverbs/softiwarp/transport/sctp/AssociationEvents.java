package org.panamaverbs.softiwarp.transport.sctp;

import com.sun.nio.sctp.AbstractNotificationHandler;
import com.sun.nio.sctp.AssociationChangeNotification;
import com.sun.nio.sctp.HandlerResult;
import com.sun.nio.sctp.Notification;

/** The notifications that come between the messages of an association. It keeps the one that makes the association useless. */
final class AssociationEvents extends AbstractNotificationHandler<Void> {
    private String lost;

    /** Why the association is broken, or {@code null}. */
    String lost() {
        return lost;
    }

    @Override
    public HandlerResult handleNotification(AssociationChangeNotification notification, Void attachment) {
        switch (notification.event()) {
            case COMM_LOST -> lost = "the association was lost: the peer has aborted it, or does not answer";
            case RESTART -> lost = "the peer has restarted the association, and what it had before is lost";
            case CANT_START -> lost = "the association could not be established";
            case COMM_UP, SHUTDOWN -> {
                // The end of an association that was shut down shows when all messages are received.
            }
        }
        return HandlerResult.CONTINUE;
    }

    @Override
    public HandlerResult handleNotification(Notification notification, Void attachment) {
        return HandlerResult.CONTINUE;
    }
}
