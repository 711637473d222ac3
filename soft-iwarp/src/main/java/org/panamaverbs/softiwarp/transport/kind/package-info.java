/**
 * Chooses a kind of transport by name.
 */
package org.panamaverbs.softiwarp.transport.kind;
