#!/bin/sh
# kraal's hook for {agent}: hands an event to the session this runs in, and does nothing outside
# kraal. `kraal integration uninstall {agent}` takes it away.
[ -z "$KRAAL_SOCKET" ] || "${KRAAL_EXE:-kraal}" hook {agent} "$1" 2>/dev/null
exit 0
