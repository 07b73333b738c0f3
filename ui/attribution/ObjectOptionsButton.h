// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The options of explanations that mark an object, in a menu of a button.

#include <QToolButton>

#include <string>

namespace headlight {

class Document;
class ParameterForm;

/// Shows those of the method that is chosen, and changes them in the view.
class ObjectOptionsButton : public QToolButton {
  Q_OBJECT
 public:
  ObjectOptionsButton(Document* document, QWidget* parent);
  ParameterForm* form() const { return m_form; }
  /// To be called where the view may be another one.
  void readView();

 private:
  void apply();

  Document* m_document;
  ParameterForm* m_form;
  std::string m_shown;  ///< the method whose fields are shown
};

}  // namespace headlight
