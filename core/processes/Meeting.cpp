#include "core/processes/Meeting.h"

#include <unistd.h>

#include <array>
#include <sstream>

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "core/base/TorchCompat.h"
#include "core/processes/Routes.h"

namespace headlight {
namespace {

constexpr std::chrono::seconds kBeat{1};
/// Without a beat for as long a process is gone: a connection that broke is told of at once.
constexpr std::chrono::seconds kSilence{5};
/// How long process 0 stays for others that are about to end.
constexpr std::chrono::seconds kFarewell{10};
constexpr std::chrono::milliseconds kGlance{200}, kShortGlance{20};
constexpr int kGlancesAWord = 10;  ///< for a text, between two for the word of one that ended

using Clock = std::chrono::steady_clock;

std::atomic<bool> met{false};

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

[[noreturn]] void failToMeet(const Launch& launch, const std::exception& exception) {
  const std::string why = messageOf(exception);
  // The first: LibTorch 2.x; the second: 1.13.
  if (why.find("EADDRINUSE") != std::string::npos ||
      why.find("Address already in use") != std::string::npos)
    throw Failure({ErrorCode::Io,
                   "the port is in use; set MASTER_PORT to a free one, the same for all processes",
                   placeOf(launch)});
  throw Failure({ErrorCode::Io,
                 "process " + std::to_string(launch.rank) + " of " + std::to_string(launch.count) +
                     (keepsStore(launch) ? " cannot open the place where they meet (" + why + ")"
                                         : " found no process 0 there (" + why + ")") +
                     "; MASTER_ADDR and MASTER_PORT say where that is",
                 placeOf(launch)});
}

Meeting::Texts openStore(const Launch& launch, std::chrono::seconds timeout, bool keep) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(launch.port);
  options.isServer = keep;
  options.waitWorkers = false;
  options.timeout = timeout;
  useNoLibUv(options);
  const auto store = c10::make_intrusive<c10d::TCPStore>(launch.host, options);
  return c10::make_intrusive<c10d::PrefixStore>("headlight/" + launch.attempt, store);
}

std::string pulseKey(int rank) {
  return "pulse/" + std::to_string(rank);
}
std::string wordKey(int rank) {
  return "word/" + std::to_string(rank);
}
std::string leaveKey(int rank) {
  return "leave/" + std::to_string(rank);
}

std::string textOf(const std::vector<std::uint8_t>& bytes) {
  return std::string(bytes.begin(), bytes.end());
}

void put(c10d::Store& store, const std::string& key, const std::string& text) {
  store.set(key, std::vector<std::uint8_t>(text.begin(), text.end()));
}

std::string getIfThere(c10d::Store& store, const std::string& key) {
  return store.check({key}) ? textOf(store.get(key)) : std::string();
}

}  // namespace

Meeting::Meeting(const Launch& launch, std::chrono::seconds timeout)
    : m_launch(launch), m_timeout(timeout), m_machine(hostName()) {
  leaveErrorsToUs();
  try {
    m_texts = openStore(launch, timeout, keepsStore(launch));
    m_pulses = openStore(launch, timeout, false);
    limitSilence(launch.port, timeout);
    writePulse();
    // Whoever answers keeps the store: somebody else might have the port.
    met = m_pulses->check({pulseKey(launch.rank)});
  } catch (const std::exception& exception) {
    failToMeet(launch, exception);
  }
  m_heart = std::thread([this] { beat(); });
}

bool Meeting::happened() {
  return met;
}

Meeting::~Meeting() {
  {
    const std::lock_guard lock(m_mutex);
    m_ended = true;
    m_wake.notify_one();
  }
  m_heart.join();
  static_cast<void>(guarded("", [this] { takeLeave(); }));
}

void Meeting::takeLeave() {
  put(*m_pulses, leaveKey(m_launch.rank), "left");
  if (!keepsStore(m_launch)) return;
  const auto until = Clock::now() + kFarewell;
  for (int rank = 1; rank < m_launch.count; ++rank)
    while (m_gone.count(rank) == 0 && !m_pulses->check({leaveKey(rank)}) && Clock::now() < until)
      std::this_thread::sleep_for(kGlance);
}

void Meeting::write(const std::string& key, const std::string& text) {
  put(*m_texts, key, text);
}

/// Looks again and again, so that the word of a process that ended is found at once.
std::string Meeting::read(const std::string& key) {
  const auto until = Clock::now() + m_timeout;
  for (int glance = 0; !m_texts->check({key}); ++glance) {
    if (Clock::now() > until) throw Failure({ErrorCode::Io, "nobody wrote " + key, ""});
    if (glance % kGlancesAWord == 0 && anyEnded())
      throw Failure({ErrorCode::Io, "a process ended", ""});
    std::this_thread::sleep_for(kShortGlance);
  }
  return textOf(m_texts->get(key));
}

bool Meeting::anyEnded() {
  for (int rank = 0; rank < m_launch.count; ++rank)
    if (!wordOf(rank).empty()) return true;
  return false;
}

void Meeting::beat() {
  std::unique_lock lock(m_mutex);
  while (!m_wake.wait_for(lock, kBeat, [this] { return m_ended; }))
    if (!guarded("", [this] { writePulse(); })) return;  // nobody keeps the store any more
}

void Meeting::writePulse() {
  put(*m_pulses, pulseKey(m_launch.rank),
      std::to_string(++m_beats) + " " + std::to_string(m_begun) + " " + m_machine);
}

Meeting::Pulse Meeting::pulseOf(int rank) {
  Pulse pulse;
  std::istringstream text(getIfThere(*m_pulses, pulseKey(rank)));
  text >> pulse.beat >> pulse.begun >> pulse.machine;
  return pulse;
}

std::string Meeting::wordOf(int rank) {
  return getIfThere(*m_pulses, wordKey(rank));
}

void Meeting::leaveWord(const std::string& why) {
  static_cast<void>(guarded("", [&] { put(*m_pulses, wordKey(m_launch.rank), why); }));
}

std::string Meeting::named(int rank, const Pulse& pulse) const {
  return "process " + std::to_string(rank) + " of " + std::to_string(m_launch.count) +
         (pulse.machine.empty() ? "" : " (" + pulse.machine + ")");
}

std::string Meeting::blame(const std::string& reason) {
  auto found = guarded("", [&] { return find(reason); });
  if (found) return *found;
  // The store is gone, and with it whoever kept it.
  m_speaker = m_launch.storeIsThere ? 0 : 1;
  return (m_launch.storeIsThere ? m_launch.launcher
                                : "process 0 of " + std::to_string(m_launch.count)) +
         " does not answer any more at " + placeOf(m_launch);
}

/// A word that somebody left; else who has no pulse; else who is behind.
std::string Meeting::find(const std::string& reason) {
  std::vector<Pulse> before;
  for (int rank = 0; rank < m_launch.count; ++rank)
    before.push_back(pulseOf(rank));
  std::vector<Pulse> now = before;
  for (const auto until = Clock::now() + kSilence; Clock::now() < until;) {
    for (int rank = 0; rank < m_launch.count; ++rank)
      if (const std::string word = wordOf(rank); !word.empty()) {
        m_told = true;
        return named(rank, before[rank]) + " ended: " + word;
      }
    std::this_thread::sleep_for(kGlance);
  }
  int behind = m_launch.rank;
  for (int rank = 0; rank < m_launch.count; ++rank) {
    now[rank] = pulseOf(rank);
    if (now[rank].begun < now[behind].begun) behind = rank;
  }
  for (int rank = 0; rank < m_launch.count; ++rank)
    if (rank != m_launch.rank && now[rank].beat == before[rank].beat) {
      m_gone.insert(rank);
      if (rank == 0) m_speaker = 1;
      return named(rank, now[rank]) +
             (now[rank].beat.empty() ? " never came" : " does not answer any more");
    }
  if (behind != m_launch.rank)
    return named(behind, now[behind]) + " did not come as far as the others within " +
           std::to_string(m_timeout.count()) + " s (training.timeout)";
  return "a connection between the processes failed (" + reason + ")";
}

}  // namespace headlight
