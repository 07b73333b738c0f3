// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A line of text with a tone: quiet, plain, or a problem with its icon. Empty: it takes no room.

#include <QLabel>

#include "core/base/Result.h"

namespace headlight {

class MessageLabel : public QWidget {
  Q_OBJECT
 public:
  enum class Tone { Quiet, Plain, Problem };
  explicit MessageLabel(QWidget* parent = nullptr);

  void setMessage(const QString& text, Tone tone = Tone::Quiet);
  /// Reports whether `path` was saved.
  void reportSaved(const QString& path, const Result<void>& written);
  void clear() { setMessage({}); }
  QString text() const { return m_message; }
  Tone tone() const { return m_tone; }

 Q_SIGNALS:
  void said(const QString& text, headlight::MessageLabel::Tone tone);  ///< anything new, not empty

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void applyTone();

  QLabel* m_icon;
  QLabel* m_text;
  QString m_message;
  Tone m_tone = Tone::Quiet;
};

}  // namespace headlight
