// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What goes over the connections to the store that process 0 keeps. Every message is its length in
// four bytes, the highest first, and as many bytes. A process says who it is and is welcomed or
// refused; from then on every request has one reply. Anybody may connect to the port: a message
// that makes no sense is a Failure, and no memory is taken for bytes that did not come.

#include <cstddef>
#include <optional>
#include <string>

#include "core/processes/Launch.h"
#include "core/processes/StoreTable.h"

namespace headlight {

/// The longest first message of somebody unknown, and the longest of a process of the run.
inline constexpr std::size_t kLongestGreeting = 4096, kLongestMessage = std::size_t{1} << 30;

std::string framed(const std::string& message);
/// Takes the first message from `bytes`, which came so far; nothing where it is not whole yet.
/// Throws Failure (InvalidFile) where it would be longer than `longest`.
std::optional<std::string> takeMessage(std::string& bytes, std::size_t longest);

/// "process RANK of COUNT", and which start of the job.
std::string makeGreeting(const Launch& launch);
/// The rank of a process that belongs to the job of `launch`. Throws Failure (InvalidFile) where
/// `greeting` is none, (InvalidConfig) where it is that of another job: in words that the process
/// is told.
int rankFromGreeting(const std::string& greeting, const Launch& launch);
inline constexpr const char* kWelcome = "welcome to headlight's rendezvous";
inline constexpr const char* kRefusal = "refused: ";  ///< and why

/// Messages, and back. The latter throw Failure (InvalidFile).
std::string encoded(const StoreRequest& request);
std::string encoded(const StoreReply& reply);
StoreRequest requestFrom(const std::string& message);
StoreReply replyFrom(const std::string& message);

}  // namespace headlight
