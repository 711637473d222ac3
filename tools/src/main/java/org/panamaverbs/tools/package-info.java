/** {@code pverbs}: its commands; the long ones have packages of their own below. The code that all share is in {@code shared}. */
package org.panamaverbs.tools;
