// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// At which address of its machine a process is to be reached by the others. What a machine's own
// name resolves to does not say: it is often a loopback address (Debian writes 127.0.1.1 into
// /etc/hosts).

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace headlight {

/// How a process reaches the place where all meet.
struct Route {
  std::string from;  ///< the address of its own machine that it goes by
  std::string to;    ///< the address that the meeting place has for it
};

/// Nothing: the host's name does not resolve, or nothing leads there. Nothing is sent.
std::optional<Route> routeTo(const std::string& host, int port);

/// Connections of this process to that port of any machine fail once nothing that they sent was
/// received, and nothing that they wait for came, for so long. Else whoever reads from a machine
/// that is gone waits for a quarter of an hour, and from a process that hangs for ever.
void limitSilence(int port, std::chrono::seconds limit);

bool isLoopback(const std::string& address);

/// Where the process of `own` is reached, `all` being the routes of all of them: at the address
/// that it goes by, unless the meeting place is on its own machine: then where others find that.
std::string reachableAddress(const Route& own, const std::vector<Route>& all);

/// As one line, and back; a line that is none gives empty addresses.
std::string routeText(const Route& route);
Route routeFromText(const std::string& text);

}  // namespace headlight
