// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The store of a run as c10d knows stores: what Gloo and NCCL connect by.

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <torch/csrc/distributed/c10d/Store.hpp>

#include "core/processes/StoreAccess.h"

namespace headlight {

class RendezvousStore : public c10d::Store {
 public:
  using Bytes = std::vector<std::uint8_t>;
  using Milliseconds = std::chrono::milliseconds;

  RendezvousStore(std::shared_ptr<StoreAccess> access, Milliseconds timeout)
      : c10d::Store(timeout), m_access(std::move(access)) {}

  void set(const std::string& key, const Bytes& value) override;
  Bytes compareSet(const std::string& key, const Bytes& expected, const Bytes& value) override;
  /// Waits until somebody has set it.
  Bytes get(const std::string& key) override;
  std::int64_t add(const std::string& key, std::int64_t value) override;
  bool deleteKey(const std::string& key) override;
  bool check(const std::vector<std::string>& keys) override;
  std::int64_t getNumKeys() override;
  void wait(const std::vector<std::string>& keys) override { wait(keys, timeout_); }
  void wait(const std::vector<std::string>& keys, const Milliseconds& timeout) override;
  /// An override since LibTorch 2.8, which has no store without it.
  virtual c10::intrusive_ptr<c10d::Store> clone();

 private:
  StoreReply ask(const StoreRequest& request);

  std::shared_ptr<StoreAccess> m_access;
};

/// A store of c10d's, which a launcher keeps, as an access. Its calls know no end of their own but
/// the store's time-out.
std::shared_ptr<StoreAccess> accessTo(const c10::intrusive_ptr<c10d::Store>& store);

}  // namespace headlight
