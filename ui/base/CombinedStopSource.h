// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A stop that two may ask for: the person, who then hears how it ended, and the end of what began
// it.

#include <stop_token>

namespace headlight {

class CombinedStopSource {
 public:
  CombinedStopSource(const std::stop_token& first, const std::stop_token& second)
      : m_first(first, Request{m_source}), m_second(second, Request{m_source}) {}

  std::stop_token token() const { return m_source.get_token(); }

 private:
  struct Request {
    std::stop_source& source;
    void operator()() const { source.request_stop(); }
  };
  std::stop_source m_source;
  std::stop_callback<Request> m_first, m_second;
};

}  // namespace headlight
