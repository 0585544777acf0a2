"""A world of few rules: a tree of three logs, planks from logs, lava for who sneaks."""

import numpy as np

from minedojo.sim import faults

ATTACK, CRAFT = 3, 4
FLAGS = ("is_tool_not_required", "blocks_movement", "is_liquid", "is_solid", "can_burn")


def picture(height, width):
    """uint8[3, height, width] that tells channel, row and column apart."""
    channel, row, column = np.ogrid[:3, :height, :width]
    return ((100 * channel + 10 * row + column) % 256).astype(np.uint8)


class RulesGame:
    def __init__(self):
        self.new_player()
        self.tree, self.time = 3, 0

    def new_player(self):
        self.life, self.deaths, self.damage = 20.0, getattr(self, "deaths", 0), 0.0
        self.position, self.yaw = np.array([0.5, 64.0, 0.5]), 0.0
        self.slots = [["air", 0] for _ in range(36)]

    def mission(self, mission):
        faults.note(f"mission seed={mission['seed']} new={mission['new']} {mission['biome']}")
        self.new_player()
        self.tree, self.time, self.image_size = 3, 0, mission["image_size"]
        for slot, name, _, quantity in mission["items"]:
            self.slots[slot] = [name, quantity]
        return self.raw()

    def tick(self, action, chat, begins):
        del begins
        self.time += 1
        self.damage = 0.0
        if chat:
            self.hear(chat)
        if self.life <= 0:
            return self.raw()
        self.yaw += (action[4] - 12) * 15.0  # never wrapped, as in the game
        self.position[2] += 0.2 * (action[0] == 1)
        if action[2] == 2:
            self.damage = 10.0
            self.life -= 10.0
        if action[5] == ATTACK and self.tree:
            self.tree -= 1
            self.change("log", 1)
        if action[5] == CRAFT and self.count("log"):
            self.change("log", -1)
            self.change("planks", 4)
        return self.raw()

    def hear(self, chat):
        faults.note(f"chat {chat}")
        words = chat.split()
        if chat == "/kill":
            self.deaths += 1
            self.new_player()
        elif words[0] == "/time":
            self.time = int(words[2])
        elif words[0] == "/replaceitem":
            _, kind, slot = words[3].split(".")
            place = int(slot) + (9 if kind == "inventory" else 0)
            self.slots[place] = [words[4][len("minecraft:") :], int(words[5])]

    def count(self, name):
        return sum(quantity for item, quantity in self.slots if item == name)

    def change(self, name, by):
        for slot in self.slots:
            if slot[0] in (name, "air"):
                slot[0], slot[1] = name, slot[1] + by
                break
        self.slots = [slot if slot[1] > 0 else ["air", 0] for slot in self.slots]

    def raw(self):
        one = lambda value: np.array([value], np.float32)  # noqa: E731
        no, names = np.zeros, [name.replace("_", " ") for name, _ in self.slots]
        held = np.array([name != "air" for name in names])
        stacks = {"variant": no(36, np.int64), "cur_durability": no(36, np.float32) - 1,
                  "max_durability": no(36, np.float32) - 1}  # fmt: skip
        quantity = np.array([quantity for _, quantity in self.slots], np.float32)
        inventory = {"name": np.array(names), "quantity": quantity, **stacks}
        place = {
            "pos": self.position.astype(np.float32), "yaw": one(self.yaw), "pitch": one(0),
            "biome_id": np.array(1), "light_level": one(15), "sea_level": one(63),
            "can_see_sky": np.array(True), "is_raining": np.array(False),
            **{k: one(0.5) for k in ("rainfall", "temperature", "sky_light_level",
                                     "sun_brightness")},
        }  # fmt: skip
        cube, rays = (3, 3, 3), (120,)
        air = lambda shape: {"block_name": np.full(shape, "air"),  # noqa: E731
                             "block_meta": no(shape, np.int64),
                             **{flag: no(shape, bool) for flag in FLAGS}}  # fmt: skip
        obs = {
            "rgb": picture(*self.image_size),
            "inventory": inventory,
            "equipment": {key: value[:6] for key, value in inventory.items()},
            "life_stats": {
                "life": one(self.life), "food": one(20), "saturation": one(5), "oxygen": one(300),
                "armor": one(0), "xp": one(0), "is_sleeping": np.array(False),
            },
            "location_stats": place,
            "voxels": {**air(cube), "is_collidable": no(cube, bool), "blocks_light": no(cube, bool),
                       "cos_look_vec_angle": no(cube, np.float32)},
            "rays": {
                **air(rays), "block_distance": np.full(rays, 40.0, np.float32),
                "entity_name": np.full(rays, "null"), "harvest_level": no(rays, np.int64) - 1,
                "entity_distance": np.full(rays, 40.0, np.float32),
                **{k: no(rays, np.float32) for k in ("ray_pitch", "ray_yaw", "traced_block_x",
                                                     "traced_block_y", "traced_block_z")},
            },
            "nearby_tools": {"table": np.array(False), "furnace": np.array(False)},
            "damage_source": {"damage_amount": one(0)},  # always 0 in 0.1
            "masks": {
                "action_type": np.ones(8, bool), "action_arg": no((8, 1), bool),
                "equip": held, "place": held, "destroy": held, "craft_smelt": no(244, bool),
            },
        }  # fmt: skip
        rows = [{"name": name, "quantity": quantity} for name, quantity in self.slots]
        info = {
            "inventory": rows, "is_dead": self.life <= 0, "life": self.life,
            "world_time": self.time, "stat": {"deaths": self.deaths, "kill_entity": {"cow": 0}},
            "damage_source": {"damage_amout": self.damage, "is_fire_damage": self.damage > 0},
        }  # fmt: skip
        return obs, info
