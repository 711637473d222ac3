/**
 * Chooses a kind of transport by name. This package may use {@code transport}, {@code transport.epoll}, {@code transport.nio} and
 * {@code transport.memory}.
 */
package org.panamaverbs.softiwarp.transport.kind;
