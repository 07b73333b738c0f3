// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The compact bar over the images: which layer, head and token, and how maps are colored.

#include <QSpinBox>
#include <QToolBar>

#include <functional>
#include <optional>
#include <vector>

#include "ui/canvas/ViewUse.h"
#include "ui/document/Document.h"

class QComboBox;
class QAction;
class QSlider;
class QToolButton;

namespace headlight {

/// Tokens by name: "class token", "patch (4, 7)"; takes "class", "distillation", "4, 7" or a
/// number.
class TokenSpinBox : public QSpinBox {
  Q_OBJECT
 public:
  TokenSpinBox(Document* document, QWidget* parent);

 protected:
  QString textFromValue(int value) const override;
  int valueFromText(const QString& text) const override;
  QValidator::State validate(QString& input, int& position) const override;

 private:
  std::optional<int> parse(const QString& text) const;
  Document* m_document;
};

class ViewControls : public QToolBar {
  Q_OBJECT
 public:
  explicit ViewControls(Document* document, QWidget* parent = nullptr);

  /// Shows the controls that do something on the present page.
  void setUse(const ViewUse& use);

 private:
  void readModel();
  void readView();
  void change(const std::function<void(ViewOptions&)>& edit);
  void buildChoosers();
  void buildColors();
  /// The label and the widget, to hide and show them.
  std::vector<QAction*> addLabeled(const QString& label, QWidget* widget, const QString& name,
                                   const QString& tip);
  void addShown();
  void addDecoder();
  void readDecoder();
  void readLearned();
  bool offers(const std::vector<LearnedMap>& maps) const;
  void readShown();
  QAction* addToggle(const QString& name, const QString& text, const QString& tip,
                     bool ViewOptions::*option);
  void refreshVisible();

  Document* m_document;
  bool m_reading = false;
  QComboBox* m_shown;  ///< attention, or a learned map; only where there is a choice
  ViewUse m_use;
  // The parts of the bar, to be shown and hidden.
  std::vector<QAction*> m_shownActions, m_layerActions, m_headActions, m_tokenActions,
      m_decoderActions, m_styleActions;
  QAction *m_mapAction = nullptr, *m_smoothAction = nullptr, *m_sharedAction = nullptr,
          *m_maskAction = nullptr, *m_objectsAction = nullptr, *m_truthAction = nullptr;
  QToolButton* m_objectsButton = nullptr;
  QComboBox* m_decoder;  ///< of a segmenter, once a segment was clicked
  QSpinBox* m_layer;
  QComboBox* m_head;
  TokenSpinBox* m_token;
  QSlider* m_opacity;
  QComboBox *m_style, *m_colorMap;
  QAction* m_colorMapAction;  ///< only where colors are used
  std::vector<std::pair<QToolButton*, bool ViewOptions::*>> m_toggles;
};

}  // namespace headlight
