// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/processes/StoreProtocol.h"

#include <charconv>
#include <cstdint>

#include "core/base/Translation.h"

namespace headlight {
namespace {

constexpr const char* kGreeting = "headlight-rendezvous-1";
constexpr std::size_t kLengthBytes = 4;

[[noreturn]] void refuseMessage(const std::string& what) {
  throw Failure({ErrorCode::InvalidFile, what, ""});
}

void appendLength(std::string& bytes, std::size_t length) {
  for (int shift = 24; shift >= 0; shift -= 8)
    bytes += static_cast<char>((length >> shift) & 0xff);
}

std::size_t lengthAt(const std::string& bytes, std::size_t at) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i)
    length = length << 8 | static_cast<unsigned char>(bytes[at + i]);
  return length;
}

void appendText(std::string& bytes, const std::string& text) {
  appendLength(bytes, text.size());
  bytes += text;
}

/// Moves `at` behind the text that begins there.
std::string textAt(const std::string& bytes, std::size_t& at) {
  if (bytes.size() - at < kLengthBytes) refuseMessage(tr("a message ends too early"));
  const std::size_t length = lengthAt(bytes, at);
  at += kLengthBytes;
  if (bytes.size() - at < length) refuseMessage(tr("a message ends too early"));
  at += length;
  return bytes.substr(at - length, length);
}

int numberFrom(const std::string& text) {
  int number = -1;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc() && read.ptr == end ? number : -1;
}

}  // namespace

std::string framed(const std::string& message) {
  if (message.size() > kLongestMessage) refuseMessage(tr("a text is too long to be shared"));
  std::string bytes;
  appendText(bytes, message);
  return bytes;
}

std::optional<std::string> takeMessage(std::string& bytes, std::size_t longest) {
  if (bytes.size() < kLengthBytes) return std::nullopt;
  const std::size_t length = lengthAt(bytes, 0);
  if (length > longest) refuseMessage(tr("a message is too long"));
  if (bytes.size() < kLengthBytes + length) return std::nullopt;
  std::string message = bytes.substr(kLengthBytes, length);
  bytes.erase(0, kLengthBytes + length);
  return message;
}

std::string makeGreeting(const Launch& launch) {
  std::string bytes;
  for (const std::string& text :
       {std::string(kGreeting), std::to_string(launch.rank), std::to_string(launch.count),
        launch.attempt.substr(0, kLongestGreeting / 2)})
    appendText(bytes, text);
  return bytes;
}

int rankFromGreeting(const std::string& greeting, const Launch& launch) {
  std::size_t at = 0;
  if (textAt(greeting, at) != kGreeting) refuseMessage(tr("this is not a Headlight process"));
  const int rank = numberFrom(textAt(greeting, at)), count = numberFrom(textAt(greeting, at));
  const std::string attempt = textAt(greeting, at);
  if (rank < 0 || rank >= count || at != greeting.size()) refuseMessage(tr("invalid greeting"));
  if (count != launch.count || attempt != launch.attempt.substr(0, kLongestGreeting / 2))
    throw Failure({ErrorCode::InvalidConfig,
                   tr("process 0 there belongs to another job, which has ") +
                       std::to_string(launch.count) + " processes",
                   ""});
  return rank;
}

std::string encoded(const StoreRequest& request) {
  std::string bytes(1, static_cast<char>(request.kind));
  for (const std::string* text : {&request.key, &request.value, &request.expected})
    appendText(bytes, *text);
  return bytes;
}

StoreRequest requestFrom(const std::string& message) {
  if (message.empty() ||
      static_cast<unsigned char>(message[0]) > static_cast<unsigned>(StoreRequest::kLastKind))
    refuseMessage(tr("unknown request"));
  StoreRequest request;
  request.kind = static_cast<StoreRequest::Kind>(message[0]);
  std::size_t at = 1;
  for (std::string* text : {&request.key, &request.value, &request.expected})
    *text = textAt(message, at);
  if (at != message.size()) refuseMessage(tr("a request is too long"));
  return request;
}

std::string encoded(const StoreReply& reply) {
  return (reply.found ? "+" : "-") + reply.value;
}

StoreReply replyFrom(const std::string& message) {
  if (message.empty() || (message[0] != '+' && message[0] != '-'))
    refuseMessage(tr("invalid reply"));
  return {message[0] == '+', message.substr(1)};
}

}  // namespace headlight
