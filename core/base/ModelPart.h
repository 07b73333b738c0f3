// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which part of a model a thread computes now, for measurements: where nobody listens, a scope is
// one look at a pointer. No torch type here.

#include <array>
#include <string>

namespace headlight {

/// What modelPartHelp() says of each belongs to it, in both passes.
enum class ModelPart {
  Embedding,
  Norms,
  Projections,
  Attention,
  Mlp,
  Convolution,
  Head,
  Loss,
  Optimizer,
  Other
};

inline constexpr std::array kModelParts{
    ModelPart::Embedding, ModelPart::Norms,       ModelPart::Projections, ModelPart::Attention,
    ModelPart::Mlp,       ModelPart::Convolution, ModelPart::Head,        ModelPart::Loss,
    ModelPart::Optimizer, ModelPart::Other};

std::string modelPartName(ModelPart part);   ///< as typed and stored: "attention_projections"
std::string modelPartTitle(ModelPart part);  ///< in words
std::string modelPartHelp(ModelPart part);   ///< what counts, in a sentence

class PartListener {
 public:
  virtual ~PartListener() = default;
  /// `whole`: all within it belongs to it, whichever operations and scopes they are.
  virtual void enter(ModelPart part, bool whole) = 0;
  virtual void enterBackward() = 0;
  /// What was entered last.
  virtual void leave() = 0;

  /// Of this thread; null: nobody listens.
  static PartListener* current();
  static void setCurrent(PartListener* listener);
};

/// What the thread computes while one lives belongs to `part`, but for scopes within.
class PartScope {
 public:
  explicit PartScope(ModelPart part, bool whole = false) : m_listener(PartListener::current()) {
    if (m_listener) m_listener->enter(part, whole);
  }
  ~PartScope() {
    if (m_listener) m_listener->leave();
  }
  PartScope(const PartScope&) = delete;
  PartScope& operator=(const PartScope&) = delete;

 private:
  PartListener* m_listener;
};

/// The same around a backward pass, whose steps belong to the parts that they go back through.
class BackwardScope {
 public:
  BackwardScope() : m_listener(PartListener::current()) {
    if (m_listener) m_listener->enterBackward();
  }
  ~BackwardScope() {
    if (m_listener) m_listener->leave();
  }
  BackwardScope(const BackwardScope&) = delete;
  BackwardScope& operator=(const BackwardScope&) = delete;

 private:
  PartListener* m_listener;
};

template <typename Body>
auto inPart(ModelPart part, Body body) {
  const PartScope scope(part);
  return body();
}

}  // namespace headlight
