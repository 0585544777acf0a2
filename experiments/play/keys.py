"""Keys of the window, and the words that `--help` has for them."""

# Held down: pygame's name of the key -> what it does.
HELD = {
    "w": "forward",
    "s": "back",
    "a": "left",
    "d": "right",
    "space": "jump",
    "left shift": "sneak",
    "left ctrl": "sprint",
}
# Mouse buttons, by pygame's number.
BUTTONS = {1: "attack", 3: "use"}

DROP, PLACE, DESTROY, MENU = "q", "f", "x", "e"
SCREENSHOT, AGAIN, QUIT, ENTER = "f5", "r", "escape", "return"

HELP = """\
Keys
  W A S D             forward, left, back, right
  Space  Shift  Ctrl  jump, sneak, sprint
  mouse               look: movement adds up and turns by whole bins of 15 degrees
  left, right button  attack, use
  1 to 9              equip a slot (it changes places with the hand, or is put on)
  E                   list of what can be made now and of what is carried: arrows choose,
                      Enter makes or equips, E closes; the world waits meanwhile
  Q  F  X             drop, place, destroy what is in the hand
  R                   a new episode; Enter after an episode has ended
  F5                  screenshot into the working folder
  Esc                 quit
Crafting, equipping, placing, dropping and destroying take 3 ticks in which nothing else
is heard, as in MineDojo; what is asked for meanwhile waits."""

FILES = """\
Files of actions
  A .npy file holds int [T, 8]. In any other file a line is one action in words; what is
  not named does nothing, `#` begins a comment, empty lines are skipped:
    forward jump yaw=13 repeat=20
    fn=craft arg=planks             arg is a name or a number, slot is 0 to 35
  Words are forward back left right jump sneak sprint use attack drop noop, and move=
  strafe= jump= pitch= yaw= fn= arg= slot= repeat= with a value. Bins of pitch and yaw
  are 0 to 24: 12 does not turn, each further one turns 15 degrees (down, right)."""
