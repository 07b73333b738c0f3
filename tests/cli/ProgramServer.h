// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Programs that are there already. To start headlight-cli takes half a second in which libraries are
// linked and LibTorch registers its operators, several times what most commands take themselves. A
// server (server_main.cpp) has that behind it, runs no command, and forks for each that it is asked for.

#include <sys/socket.h>
#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace headlight::testing {

struct ProgramRequest {
  std::vector<std::string> arguments;  ///< with the program's name
  std::vector<std::string> variables;  ///< the environment, "NAME=value"
  std::string folder;                  ///< to run in
  int out = -1, err = -1;
};

/// As one message, and back. Nothing of it holds a zero.
std::string packed(const ProgramRequest& request);
ProgramRequest unpacked(const std::string& message);

/// What travels: these bytes, and beside them three descriptors.
struct RequestMessage {
  RequestMessage(char* bytes, std::size_t size);
  RequestMessage(const RequestMessage&) = delete;
  RequestMessage& operator=(const RequestMessage&) = delete;

  iovec part;
  alignas(cmsghdr) char control[CMSG_SPACE(3 * sizeof(int))] = {};
  msghdr header{};
};

struct ServedProgram {
  pid_t process = -1;
  int ended = -1;  ///< gives a ProgramEnd when the program is over
};

struct ProgramEnd {
  int status = 0;  ///< as waitpid's
  long peakKilobytes = 0;
};

/// Nothing where there is no server, or where the program has to be loaded anew: where a variable that
/// libraries read as they are loaded is another one than at the server's start.
std::optional<ServedProgram> serve(const ProgramRequest& request);
/// Waits for the end; of a server that failed it is a kill.
ProgramEnd endOf(ServedProgram& program);

}  // namespace headlight::testing
