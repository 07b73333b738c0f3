// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How maps of a document are shown, and which token the pointer chooses: it is followed while it
// moves over the image, until one is pinned.

#include <QObject>
#include <QString>

#include <functional>
#include <optional>

#include "ui/document/ViewOptions.h"

namespace headlight {

class Document;
struct ModelInfo;

class ViewState : public QObject {
  Q_OBJECT
 public:
  explicit ViewState(const Document& document) : m_document(document) {}

  const ViewOptions& options() const { return m_options; }
  /// Clamped to the model; changed() if different. Another query ends the following of a pointer,
  /// and is the one that stays.
  void set(const ViewOptions& options);
  /// set() with a part of the present options changed.
  void change(const std::function<void(ViewOptions&)>& edit);

  /// The token that looks while the pointer is over it. Nothing where one is pinned.
  void follow(int token);
  /// The pointer has left: the token from before looks again.
  void endFollowing();
  bool isFollowing() const { return m_followedFrom.has_value(); }
  /// This token looks, wherever the pointer is, until unpin().
  void pin(int token);
  /// The same for a token whose `cell` found a box; the next token that looks ends it.
  void pinBox(int token, int cell);
  /// The same for a token in the segment of a `query` of a segmenter, whose class is explained.
  void pinSegment(int token, int query, int classIndex);
  void unpin();
  bool isPinned() const { return m_pinned; }
  /// The options without the pointer: what is kept in a session.
  ViewOptions steady() const;

  /// "layer 3 · head 1 · class token", "layer 3 · mean of heads · patch (4, 7)"; with the source
  /// note, if there is one.
  QString describe() const;
  QString describeToken(int token) const;
  /// The scale of the colors: "scaled to this head: 0.001 to 0.12".
  QString describeRange(const ValueRange& range) const;

 Q_SIGNALS:
  void changed();

 private:
  friend class Document;      // a new model: options as it begins
  friend class RecordedStep;  // chooses the token whose rows were kept
  /// Layer, head, token and class as the model begins, nothing pinned. Whether the options are
  /// others; emits nothing.
  bool reset(const ModelInfo& info);
  void show(const ViewOptions& options);
  void lookFrom(int token, int cell = -1);
  ViewOptions clamped(ViewOptions view) const;
  int placedToken(int token) const;

  const Document& m_document;
  ViewOptions m_options;
  std::optional<int> m_followedFrom;  ///< the token that looked before the pointer came
  bool m_pinned = false;
};

}  // namespace headlight
