// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/processes/Rendezvous.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <sstream>

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "core/base/TorchCompat.h"
#include "core/base/Translation.h"
#include "core/processes/BoundedCall.h"
#include "core/processes/RendezvousStore.h"
#include "core/processes/Routes.h"
#include "core/processes/StoreClient.h"

namespace headlight {
namespace {

constexpr std::chrono::seconds kHeartbeatInterval{1};
/// Without a heartbeat for as long a process hangs or its machine is out of reach.
constexpr std::chrono::seconds kPeerTimeout{5};
/// How long process 0 stays for others that are about to end.
constexpr std::chrono::seconds kShutdownGrace{10};
constexpr std::chrono::milliseconds kPollInterval{200}, kLeavePoll{20};

using Clock = Rendezvous::Clock;

std::atomic<bool> othersAreHeard{false};

std::string hostName() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string placeOf(const Launch& launch) {
  return launch.host + ":" + std::to_string(launch.port);
}

bool keepsStore(const Launch& launch) {
  return launch.rank == 0 && !launch.storeIsThere;
}

/// torchrun's. Its connection is made by c10d, which cannot be interrupted.
Rendezvous::Texts launchersStore(const Launch& launch, std::chrono::seconds timeout,
                                 const std::function<void()>& goOn) {
  const auto connect = [launch, timeout]() -> Rendezvous::Texts {
    c10d::TCPStoreOptions options;
    options.port = static_cast<std::uint16_t>(launch.port);
    options.waitWorkers = false;
    options.timeout = timeout;
    useNoLibUv(options);
    return c10::make_intrusive<c10d::PrefixStore>(
        "headlight/" + launch.attempt, c10::make_intrusive<c10d::TCPStore>(launch.host, options));
  };
  return BoundedCall<Rendezvous::Texts>(connect).get(goOn);
}

constexpr int kNobody = -1;
constexpr const char* kAskedToStop = "was stopped before the first step";

}  // namespace

/// What a process leaves behind, as text: how it came to end and why.
struct Rendezvous::LastWord {
  enum Kind { Own = 'o', Stopped = 's', Verdict = 'v' };

  Kind kind = Own;
  int about = kNobody;  ///< Stopped: who was; Verdict: who is gone
  std::string text;

  std::string asText() const {
    return std::string(1, static_cast<char>(kind)) + std::to_string(about) + " " + text;
  }
  static LastWord from(const std::string& text) {
    LastWord word;
    std::istringstream stream(text);
    char kind = 0;
    stream >> kind >> word.about;
    for (const Kind known : {Stopped, Verdict})
      if (kind == known) word.kind = known;
    stream.get();
    std::getline(stream, word.text, '\0');
    return word;
  }
};

Rendezvous::Rendezvous(const Launch& launch, std::chrono::seconds timeout, std::stop_token stop)
    : m_launch(launch), m_timeout(timeout), m_stop(std::move(stop)), m_machine(hostName()) {
  leaveErrorsToUs();
  try {
    openStore();
    writeHeartbeat();
  } catch (const std::exception& exception) {
    if (isToStop()) throw Failure({ErrorCode::Canceled, tr("stopped during the rendezvous"), ""});
    const auto* failure = dynamic_cast<const Failure*>(&exception);
    if (failure && !failure->error().where.empty()) throw;
    throw Failure({failure ? failure->error().code : ErrorCode::Io,
                   "process " + std::to_string(launch.rank) + " of " +
                       std::to_string(launch.count) + tr(" cannot reach the rendezvous (") +
                       failureMessage(exception) + tr("); check MASTER_ADDR and MASTER_PORT"),
                   placeOf(launch)});
  }
  othersAreHeard = launch.rank > 0;
  m_heart = std::thread([this] { beat(); });
}

void Rendezvous::openStore() {
  const auto until = Clock::now() + m_timeout;
  if (!m_launch.storeIsThere) {
    m_store = keepsStore(m_launch) ? keepStore(m_launch, m_timeout)
                                   : connectToStore(m_launch, m_timeout, until,
                                                    [starting = m_starting, stop = m_stop] {
                                                      return *starting && stop.stop_requested();
                                                    });
    m_texts = c10::make_intrusive<RendezvousStore>(m_store, m_timeout);
    return;
  }
  const auto goOn = [&] {
    if (isToStop() || Clock::now() > until)
      throw Failure({ErrorCode::Io, m_launch.launcher + tr(" does not answer"), ""});
  };
  // Two connections: one may wait while the other tells.
  m_texts = launchersStore(m_launch, m_timeout, goOn);
  m_store = accessTo(launchersStore(m_launch, m_timeout, goOn));
  limitSilence(m_launch.port, m_timeout);
}

bool Rendezvous::othersSpeak() {
  return othersAreHeard;
}

Rendezvous::~Rendezvous() {
  {
    const std::lock_guard lock(m_mutex);
    m_ended = true;
    m_wake.notify_one();
  }
  m_heart.join();
  static_cast<void>(guarded("", [this] { takeLeave(); }));
  m_store->close();
}

void Rendezvous::takeLeave() {
  const auto until = Clock::now() + kShutdownGrace;
  m_store->ask({StoreRequest::Kind::Set, leaveKey(m_launch.rank), "left", ""},
               std::min(until, Clock::now() + kPeerTimeout));
  if (!keepsStore(m_launch)) return;
  for (int rank = 1; rank < m_launch.count; ++rank)
    while (m_gone.count(rank) == 0 && find(leaveKey(rank)).empty() && find(goneKey(rank)).empty() &&
           Clock::now() < until)
      std::this_thread::sleep_for(kLeavePoll);
}

void Rendezvous::write(const std::string& key, const std::string& text) {
  m_store->ask({StoreRequest::Kind::Set, key, text, ""}, Clock::now() + m_timeout);
}

std::string Rendezvous::read(const std::string& key) {
  const auto until = Clock::now() + m_timeout;
  return waitForText(*m_store, key, until, [&] { requireGoingOn(until); });
}

void Rendezvous::requireGoingOn(Clock::time_point until) {
  if (isToStop()) throw Failure({ErrorCode::Canceled, "stopped", ""});
  if (Clock::now() > until) throw Failure({ErrorCode::Io, tr("nothing came in time"), ""});
  // A wait may have no end of its own, but whoever keeps the store may be silent for good.
  if (!find(kSomebodyEndedKey, std::min(until, Clock::now() + m_timeout)).empty())
    throw Failure({ErrorCode::Io, tr("a process ended"), ""});
}

void Rendezvous::beat() {
  std::unique_lock lock(m_mutex);
  while (!m_wake.wait_for(lock, kHeartbeatInterval, [this] { return m_ended; }))
    if (!guarded("", [this] { writeHeartbeat(); })) return;  // nobody keeps the store any more
}

void Rendezvous::writeHeartbeat() {
  write(heartbeatKey(m_launch.rank),
        std::to_string(++m_beats) + " " + std::to_string(m_begun) + " " + m_machine);
}

/// Empty: there is none.
std::string Rendezvous::find(const std::string& key, Clock::time_point until) const {
  return m_store->ask({StoreRequest::Kind::Get, key, "", ""}, until).value;
}
std::string Rendezvous::find(const std::string& key) const {
  return find(key, Clock::now() + kPeerTimeout);
}

Rendezvous::Heartbeat Rendezvous::readHeartbeat(int rank) const {
  Heartbeat heartbeat;
  std::istringstream text(find(heartbeatKey(rank)));
  text >> heartbeat.beat >> heartbeat.begun >> heartbeat.machine;
  return heartbeat;
}

std::vector<Rendezvous::Heartbeat> Rendezvous::heartbeats() const {
  std::vector<Heartbeat> all;
  for (int rank = 0; rank < m_launch.count; ++rank)
    all.push_back(readHeartbeat(rank));
  return all;
}

void Rendezvous::leaveWord(const std::string& why) {
  leave({LastWord::Own, kNobody, why});
}

void Rendezvous::leave(const LastWord& word) {
  static_cast<void>(guarded("", [&] {
    const auto until = Clock::now() + kPeerTimeout;
    const auto set = [&](const std::string& key, const std::string& text) {
      m_store->ask({StoreRequest::Kind::Set, key, text, ""}, until);
    };
    set(lastWordKey(m_launch.rank), word.asText());
    set(kSomebodyEndedKey, "1");
  }));
}

std::string Rendezvous::named(int rank, const Heartbeat& heartbeat) const {
  return "process " + std::to_string(rank) + " of " + std::to_string(m_launch.count) +
         (heartbeat.machine.empty() ? "" : " (" + heartbeat.machine + ")");
}

void Rendezvous::noteGone(int rank) {
  m_gone.insert(rank);
  if (rank != 0) return;
  m_speaker = 1;
  if (isFirstLeft()) othersAreHeard = false;
}

Error Rendezvous::verdict(const std::string& reason) {
  if (isToStop()) {
    leave({LastWord::Stopped, m_launch.rank, kAskedToStop});
    return {ErrorCode::Canceled, std::string("this process ") + kAskedToStop, ""};
  }
  const auto found = guarded("", [&] { return blamed(reason); });
  if (!found) {  // The store is gone, and so is its keeper.
    if (!m_launch.storeIsThere) noteGone(0);
    return {ErrorCode::Io,
            (m_launch.storeIsThere ? m_launch.launcher
                                   : "process 0 of " + std::to_string(m_launch.count)) +
                " no longer answers at " + placeOf(m_launch),
            ""};
  }
  leave({found->kind == LastWord::Stopped ? found->kind : LastWord::Verdict, found->about,
         found->text});
  return {found->kind == LastWord::Stopped ? ErrorCode::Canceled : ErrorCode::Io, found->text, ""};
}

/// A word that somebody left; else who is gone, or has no heartbeat; else who is behind.
Rendezvous::LastWord Rendezvous::blamed(const std::string& reason) {
  const std::vector<Heartbeat> before = heartbeats();
  for (const auto until = Clock::now() + kPeerTimeout; Clock::now() < until;) {
    if (auto reported = toldBy(before)) {
      if (reported->kind == LastWord::Verdict && reported->about >= 0) noteGone(reported->about);
      return *std::move(reported);
    }
    std::this_thread::sleep_for(kPollInterval);
  }
  const std::vector<Heartbeat> now = heartbeats();
  if (auto found = missing(before, now)) return *std::move(found);
  int behind = m_launch.rank;
  for (int rank = 0; rank < m_launch.count; ++rank)
    if (now[rank].begun < now[behind].begun) behind = rank;
  if (behind == m_launch.rank)
    return {LastWord::Verdict, kNobody,
            "a connection between the processes failed (" + reason + ")"};
  return {LastWord::Verdict, kNobody,
          named(behind, now[behind]) + " fell behind the others by more than " +
              std::to_string(m_timeout.count()) + " s (training.timeout)"};
}

/// What one says of itself counts more than what others say of it, and that more than nothing.
std::optional<Rendezvous::LastWord> Rendezvous::toldBy(const std::vector<Heartbeat>& known) const {
  std::optional<LastWord> said, gone;
  for (int rank = 0; rank < m_launch.count; ++rank) {
    if (const std::string text = find(lastWordKey(rank)); !text.empty()) {
      LastWord word = LastWord::from(text);
      if (word.kind == LastWord::Own)
        return LastWord{LastWord::Verdict, kNobody,
                        named(rank, known[rank]) + " ended: " + word.text};
      if (word.kind == LastWord::Stopped && word.about == rank)
        word.text = named(rank, known[rank]) + " " + kAskedToStop;
      if (!said || (word.kind == LastWord::Stopped && said->kind != LastWord::Stopped))
        said = std::move(word);
    } else if (!gone && rank != m_launch.rank && !find(goneKey(rank)).empty()) {
      gone =
          LastWord{LastWord::Verdict, rank, named(rank, known[rank]) + " ended without a message"};
    }
  }
  return said ? said : gone;
}

std::optional<Rendezvous::LastWord> Rendezvous::missing(const std::vector<Heartbeat>& before,
                                                        const std::vector<Heartbeat>& now) {
  std::optional<LastWord> first;
  for (int rank = 0; rank < m_launch.count; ++rank) {
    if (rank == m_launch.rank || now[rank].beat != before[rank].beat ||
        !find(leaveKey(rank)).empty())
      continue;
    noteGone(rank);
    if (!first)
      first = LastWord{LastWord::Verdict, rank,
                       named(rank, now[rank]) +
                           (now[rank].beat.empty() ? " never joined" : " no longer answers")};
  }
  return first;
}

}  // namespace headlight
