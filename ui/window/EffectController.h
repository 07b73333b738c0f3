#pragma once
// What masks do on a data set, in the window: the pictures that are measured on, the line, the
// page.

#include <QAction>
#include <QList>
#include <QObject>
#include <QPointer>

#include "ui/bridge/HeadValuesBridge.h"
#include "ui/bridge/MaskEffectBridge.h"

namespace headlight {

class DatasetDialog;
class EffectLine;

class EffectController : public QObject {
  Q_OBJECT
 public:
  EffectController(Document* document, LookBridge* look, QWidget* window);

  MaskEffectBridge* bridge() { return &m_bridge; }
  HeadValuesBridge* heads() { return &m_heads; }
  EffectLine* line() const { return m_line; }
  /// Choosing the data and showing the pictures, for the Masks menu.
  const QList<QAction*>& commands() const { return m_commands; }

 private:
  void onModel();
  void setSample(const std::optional<PictureSample>& sample);
  void chooseData();
  void showPictures();
  void showClasses();

  Document* m_document;
  QWidget* m_window;
  MaskEffectBridge m_bridge;
  HeadValuesBridge m_heads;
  bool m_chosen = false;  ///< the data, by a person
  EffectLine* m_line;
  QPointer<DatasetDialog> m_classes;  ///< null until it is wanted
  QList<QAction*> m_commands;
};

}  // namespace headlight
