// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The window's last line: what is being done, with a cancel; device, size of the model, the time
// from an edit to its image, memory.

#include <QStatusBar>
#include <QTimer>

class QLabel;
class QProgressBar;
class QToolButton;

namespace headlight {

class Document;

class StatusLine : public QStatusBar {
  Q_OBJECT
 public:
  explicit StatusLine(Document* document, QWidget* parent = nullptr);

  /// Empty: nothing is being done. `cancelable` shows the button.
  void setActivity(const QString& text, bool cancelable);
  void setComputeDescription(const QString& text);

 Q_SIGNALS:
  void cancelRequested();

 private:
  QLabel* addLabel(const QString& name, const QString& accessibleName, const QString& tip);
  void refreshModel();
  void refreshDeviceTip();
  void refreshInference();
  void refreshMemory();

  Document* m_document;
  QLabel *m_activity, *m_device, *m_size, *m_speed, *m_memory;
  QProgressBar* m_busy;
  QToolButton* m_cancel;
  QTimer m_memoryTimer;
  QString m_compute;
};

/// Bytes of memory that this process uses; 0 where the system does not say.
qint64 processMemory();
/// "5.7 M", "1.26 G".
QString shortCount(double count);
/// Multiply-accumulates of the document's model for one image, with its masks as they are now:
/// "46.6 M (52.2 M unmasked)".
QString macsText(const Document& document);

}  // namespace headlight
