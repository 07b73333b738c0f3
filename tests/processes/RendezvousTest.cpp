// SPDX-License-Identifier: GPL-3.0-or-later

// The store at which processes meet: what it answers, and that nobody who connects holds it up.

#include <gtest/gtest.h>

#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <thread>

#include "core/processes/Rendezvous.h"
#include "core/processes/StoreClient.h"
#include "core/processes/StoreProtocol.h"
#include "tests/Effort.h"
#include "tests/FreePort.h"
#include "tests/Strangers.h"

namespace headlight {
namespace {

using Kind = StoreRequest::Kind;
using Clock = StoreAccess::Clock;
using std::chrono::seconds;

Launch launchAt(int port, int rank, int count = 2) {
  Launch launch;
  launch.rank = rank;
  launch.count = launch.localCount = count;
  launch.host = "127.0.0.1";
  launch.port = port;
  return launch;
}

Clock::time_point in(seconds time) {
  return Clock::now() + time;
}

std::shared_ptr<StoreAccess> arrived(int port, int rank, seconds time = seconds(20)) {
  return connectToStore(launchAt(port, rank), time, in(time), [] { return false; });
}

std::string textOf(StoreAccess& store, const std::string& key) {
  return store.ask({Kind::Get, key, "", ""}, in(seconds(20))).value;
}

Socket stranger(int port) {
  return Socket(connectionTo(port));
}

void say(const Socket& socket, const std::string& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();)
    if (sendFrom(socket, bytes, sent) == Transfer::Ended) return;
}

std::vector<std::string> garbage() {
  auto all = strangersWords(static_cast<int>(40 * testEffort()), 7);
  all.push_back(framed(makeGreeting(launchAt(1, 1)).substr(0, 40)));
  return all;
}

TEST(StoreTable, AnswersWhatC10dAsks) {
  StoreTable table;
  const auto ask = [&](Kind kind, const char* key, const char* value = "", const char* was = "") {
    return table.answer({kind, key, value, was});
  };
  EXPECT_FALSE(ask(Kind::Get, "a").found);
  ask(Kind::Set, "a", "one");
  EXPECT_EQ(ask(Kind::Get, "a").value, "one");
  EXPECT_EQ(ask(Kind::Add, "n", "3").value, "3");
  EXPECT_EQ(ask(Kind::Add, "n", "-5").value, "-2");
  EXPECT_FALSE(ask(Kind::Add, "a", "1").found) << "no number";
  EXPECT_FALSE(ask(Kind::Add, "n", "-9223372036854775807").found) << "beyond the largest";
  EXPECT_EQ(ask(Kind::CompareSet, "a", "two", "other").value, "one");
  EXPECT_EQ(ask(Kind::CompareSet, "a", "two", "one").value, "two");
  EXPECT_EQ(ask(Kind::CompareSet, "new", "x", "").value, "x");
  EXPECT_EQ(ask(Kind::CompareSet, "newer", "x", "y").value, "y");
  EXPECT_EQ(ask(Kind::Count, "").value, "3");
  EXPECT_TRUE(ask(Kind::Remove, "a").found);
  EXPECT_FALSE(ask(Kind::Remove, "a").found);
}

TEST(StoreProtocol, MessagesComeBackAsTheyWere) {
  const StoreRequest request{Kind::CompareSet, "key", std::string("\0\xff", 2), "was"};
  std::string bytes = framed(encoded(request)) + framed(encoded(StoreReply{true, "yes"}));
  const std::string whole = bytes;
  const StoreRequest back = requestFrom(*takeMessage(bytes, kLongestMessage));
  EXPECT_EQ(back.kind, request.kind);
  EXPECT_EQ(back.key + back.value + back.expected, request.key + request.value + request.expected);
  EXPECT_EQ(replyFrom(*takeMessage(bytes, kLongestMessage)).value, "yes");
  EXPECT_EQ(bytes, "");
  bytes = whole.substr(0, 10);
  EXPECT_FALSE(takeMessage(bytes, kLongestMessage));
  EXPECT_THROW(takeMessage(bytes, 3), Failure);
}

TEST(StoreProtocol, AProcessOfAnotherJobIsToldSo) {
  Launch here = launchAt(1, 0, 3), there = launchAt(1, 2, 3);
  EXPECT_EQ(rankFromGreeting(makeGreeting(there), here), 2);
  for (Launch other : {launchAt(1, 2, 4), there}) {
    if (other.count == 3) other.attempt = "7";
    const auto rank = guarded("", [&] { return rankFromGreeting(makeGreeting(other), here); });
    ASSERT_FALSE(rank);
    EXPECT_EQ(rank.error().code, ErrorCode::InvalidConfig);
  }
  EXPECT_THROW(rankFromGreeting(makeGreeting(launchAt(1, 3, 3)), here), Failure);
}

/// Whoever is asked about an end has written, and ended, since it was asked for the text.
class LastMomentStore : public StoreAccess {
 public:
  StoreReply ask(const StoreRequest& request, Clock::time_point) override {
    ++asked;
    return ended ? StoreReply{true, "of " + request.key} : StoreReply{};
  }
  void close() override {}
  int asked = 0;
  bool ended = false;
};

TEST(Rendezvous, ATextCountsMoreThanTheEndOfItsWriter) {
  LastMomentStore store;
  const auto goOn = [&] {
    store.ended = store.asked > 0;
    if (store.ended) throw Failure({ErrorCode::Io, "a process ended", ""});
  };
  EXPECT_EQ(waitForText(store, "verdict", in(seconds(20)), goOn), "of verdict");
  EXPECT_EQ(store.asked, 2);
}

TEST(Rendezvous, AWaitForATextEndsWithItsWriterAndAtAStop) {
  for (const ErrorCode code : {ErrorCode::Io, ErrorCode::Canceled}) {
    LastMomentStore store;
    const auto read = guarded("", [&] {
      return waitForText(store, "a", in(seconds(20)), [&] { throw Failure({code, "why", ""}); });
    });
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, code);
  }
}

TEST(Rendezvous, ProcessesShareTexts) {
  const int port = freePort();
  const auto first = keepStore(launchAt(port, 0), seconds(20));
  const auto second = arrived(port, 1);
  first->ask({Kind::Set, "a", "from 0", ""}, in(seconds(20)));
  second->ask({Kind::Set, "b", std::string(3'000'000, 'x'), ""}, in(seconds(20)));
  EXPECT_EQ(textOf(*second, "a"), "from 0");
  EXPECT_EQ(textOf(*first, "b"), std::string(3'000'000, 'x'));
  EXPECT_EQ(textOf(*second, "b").size(), 3'000'000u);
}

/// Garbage, then silence, from many at once, before a process comes and while it is there.
TEST(Rendezvous, StrangersDoNotHoldItUp) {
  const int port = freePort();
  const auto first = keepStore(launchAt(port, 0), seconds(20));
  std::vector<Socket> strangers;
  for (const std::string& bytes : garbage()) {
    strangers.push_back(stranger(port));
    say(strangers.back(), bytes);
  }
  const auto second = arrived(port, 1);
  for (int i = 0; i < 200; ++i)
    strangers.push_back(stranger(port));
  for (const std::string& bytes : garbage()) {
    say(stranger(port), bytes);
    second->ask({Kind::Set, "a", bytes, ""}, in(seconds(20)));
    ASSERT_EQ(textOf(*second, "a"), bytes);
  }
  EXPECT_EQ(textOf(*first, goneKey(1)), "");
}

TEST(Rendezvous, AProcessWhoseConnectionEndsIsGoneUnlessItTookLeave) {
  const int port = freePort();
  const auto first = keepStore(launchAt(port, 0, 3), seconds(20));
  const auto come = [&](int rank) {
    return connectToStore(launchAt(port, rank, 3), seconds(20), in(seconds(20)),
                          [] { return false; });
  };
  come(1)->ask({Kind::Set, leaveKey(1), "left", ""}, in(seconds(20)));
  come(2);
  for (const auto until = in(seconds(20)); textOf(*first, goneKey(2)).empty();) {
    ASSERT_LT(Clock::now(), until);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(textOf(*first, goneKey(1)), "");
  EXPECT_EQ(textOf(*first, kSomebodyEndedKey), "1");
}

/// Nobody, somebody who is silent, and somebody who speaks another language.
TEST(Rendezvous, WhoFindsNoProcess0EndsInTimeAndSaysSo) {
  const auto why = [](int port) {
    const auto begun = Clock::now();
    const auto found = guarded("", [&] { return arrived(port, 1, seconds(1)); });
    EXPECT_LT(Clock::now() - begun, seconds(20));
    return found ? std::string() : found.error().text();
  };
  const int port = freePort();
  EXPECT_NE(why(port).find("found no process 0"), std::string::npos) << why(port);
  const Socket deaf(deafListener(port));
  EXPECT_NE(why(port).find("does not answer"), std::string::npos) << why(port);
}

TEST(Rendezvous, AWaitForProcess0CanBeInterrupted) {
  std::atomic<bool> stop = false;
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    stop = true;
  });
  const auto begun = Clock::now();
  EXPECT_THROW(connectToStore(launchAt(freePort(), 1), seconds(600), in(seconds(600)),
                              [&] { return stop.load(); }),
               Failure);
  EXPECT_LT(Clock::now() - begun, seconds(30));
  later.join();
}

/// A store that was stopped (SIGSTOP) after `replies`: it still has a connection, but answers
/// nothing more.
class StoppedStore {
 public:
  StoppedStore(int port, std::string replies)
      : m_keeper(deafListener(port)), m_thread([this, replies] { serve(replies); }) {}
  ~StoppedStore() { m_thread.join(); }

 private:
  void serve(const std::string& replies) const {
    const Socket peer(::accept(m_keeper.get(), nullptr, nullptr));
    say(peer, replies);
    std::string bytes;
    for (const auto until = in(seconds(60)); Clock::now() < until;)
      if (isReady(peer, POLLIN, std::chrono::milliseconds(100)) &&
          receiveInto(peer, bytes) == Transfer::Ended)
        return;
  }

  Socket m_keeper;
  std::thread m_thread;
};

TEST(Rendezvous, ARequestWithoutAReplyEndsInTime) {
  const int port = freePort();
  const StoppedStore stopped(port, framed(kWelcome));
  const auto second = arrived(port, 1);
  const auto begun = Clock::now();
  EXPECT_THROW(second->ask({Kind::Get, "a", "", ""}, in(seconds(1))), Failure);
  EXPECT_THROW(second->ask({Kind::Get, "a", "", ""}, in(seconds(1))), Failure);
  EXPECT_LT(Clock::now() - begun, seconds(20));
}

/// Whoever waits for a sum has no time of its own to give up: the sum's ends it.
TEST(Rendezvous, AWaitWithoutAnEndEndsWhereTheStoreIsSilent) {
  const int port = freePort();
  const StoppedStore stopped(port, framed(kWelcome) + framed(encoded(StoreReply{true, ""})));
  Rendezvous meeting(launchAt(port, 1), seconds(1), {});
  const auto begun = Clock::now();
  EXPECT_THROW(meeting.requireGoingOn(Clock::time_point::max()), Failure);
  EXPECT_NE(meeting.verdict("silence").message.find("process 0"), std::string::npos);
  EXPECT_LT(Clock::now() - begun, seconds(30));
}

}  // namespace
}  // namespace headlight
