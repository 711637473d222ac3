/**
 * A log that untrusted peers cannot fill, and messages for the moment when memory runs out. This package may use no other package.
 */
package org.panamaverbs.softiwarp.lifecycle;
